import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Actor } from '../actor.ts'
import { runCommand } from '../command.ts'
import { newWorld, type World } from '../world.ts'
import { environmentOf } from '../world-command.ts'

export interface Outcome {
  code: number
  output: string
}

/** A server with another organization on it, into which nothing is imported. */
export interface ImportingWorld {
  world: World
  /** The short name of the new organization. */
  id: string
  host: string
  /** Runs `parley import` with a file, or the path of one. */
  run(file: Buffer | string, ...options: string[]): Promise<Outcome>
  /** A user of the new organization. */
  actor(email: string): Promise<Actor>
  /** Whether the organization exists. */
  exists(): Promise<boolean>
}

export async function importingWorld(source = 'mattermost'): Promise<ImportingWorld> {
  const world = await newWorld()
  const { ctx, app } = world
  const id = `new-${randomUUID().slice(0, 8)}`
  const host = `${id}.localhost`
  const folder = ctx.config.dataDir // removed with the server
  const realm = () => ctx.db.selectFrom('realms').select('id').where('string_id', '=', id).executeTakeFirst()
  return {
    world,
    id,
    host,
    exists: async () => (await realm()) !== undefined,
    run: async (file, ...options) => {
      const path = typeof file === 'string' ? file : join(folder, randomUUID())
      if (typeof file !== 'string') await writeFile(path, file)
      const args = ['import', path, '--source', source, '--into', id, ...options]
      return runCommand(args, { env: environmentOf(world) })
    },
    actor: async (email) => {
      const row = await ctx.db
        .selectFrom('users')
        .select(['id', 'full_name', 'api_key_sealed'])
        .where('realm_id', '=', (await realm())!.id)
        .where('email', '=', email)
        .executeTakeFirstOrThrow()
      return new Actor(app, row.id, row.full_name, { host, email, key: ctx.vault.open(row.api_key_sealed) })
    },
  }
}
