import { runCommand } from './command.ts'
import { until } from './until.ts'
import type { World } from './world.ts'

/** Runs a command on the database of a test world, for its organization. */
export async function commandIn(world: World, ...args: string[]): Promise<{ code: number; output: string }> {
  return runCommand([...args, '--realm', await stringIdOf(world)], { env: environmentOf(world) })
}

/** Waits until the server has read the events that a command has written, which it does by itself within a second. */
export async function catchUp({ ctx, realmId }: World): Promise<void> {
  const counter = ctx.db.selectFrom('realm_counters').select('last_event').where('realm_id', '=', realmId)
  const { last_event } = await counter.executeTakeFirstOrThrow()
  await until(() => ctx.follower.epoch(realmId) === undefined || ctx.follower.head(realmId) >= last_event)
}

/** The environment of a command that uses the database and the files of a test world. */
export function environmentOf({ ctx, ownerUrl }: World): Record<string, string> {
  const { secretKey, dataDir } = ctx.config
  return { DATABASE_URL: ownerUrl, SECRET_KEY: secretKey!, DATA_DIR: dataDir }
}

export async function stringIdOf({ ctx, realmId }: World): Promise<string> {
  const realm = ctx.db.selectFrom('realms').select('string_id').where('id', '=', realmId)
  return (await realm.executeTakeFirstOrThrow()).string_id
}
