import { runCommand } from './command.ts'
import type { World } from './world.ts'

/** Runs a command on the database of a test world, for its organization. */
export async function commandIn(world: World, ...args: string[]): Promise<{ code: number; output: string }> {
  return runCommand([...args, '--realm', await stringIdOf(world)], { env: environmentOf(world) })
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
