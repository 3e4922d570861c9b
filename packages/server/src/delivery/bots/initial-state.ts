import { sql } from 'kysely'
import { fakeDomain } from '../../callers/realm-state.ts'
import type { Snapshot } from '../../snapshot.ts'
import { blank, botObject, isResponsibleFor, opened } from './objects.ts'
import { readBots } from './queries.ts'

/** The bots that the caller manages, including deactivated ones. */
export async function botState({ db, caller, vault, blanksSecrets }: Snapshot): Promise<object> {
  const which = isResponsibleFor(caller, { bot_owner_id: null }) ? sql`true` : sql`u.bot_owner_id = ${caller.id}`
  const bots = await readBots(db, caller.realm_id, which)
  const write = blanksSecrets ? blank : opened(vault)
  const realmHost = fakeDomain(caller.realm)
  return {
    realm_bots: bots.map((bot) => botObject(bot, caller, realmHost, write)),
  }
}
