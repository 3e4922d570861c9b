import { sql } from 'kysely'
import type { Realm } from '../../callers/realm-state.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { hashOfUrl } from './known-pages.ts'
import { showPreviews, urlsOf } from './show-previews.ts'

/** Hides previews of a message, or shows them again: one, or all. */
export async function hidePreviews(
  tx: Tx,
  deps: Pick<Context, 'config' | 'renderer'>,
  realm: Realm,
  message_id: number,
  { url, hidden }: { url?: string; hidden: boolean },
): Promise<void> {
  const all = await urlsOf(deps, tx.db, realm, message_id)
  const urls = all.filter((one) => url === undefined || one === url)
  if (urls.length === 0) throw new ApiError('The message has no such link that could have a preview.')
  const hashes = urls.map(hashOfUrl)
  if (hidden)
    await sql`
      insert into hidden_previews (realm_id, message_id, url_hash)
      select ${tx.realmId}, ${message_id}, url_hash from unnest(${hashes}::bytea[]) url_hash
      on conflict do nothing`.execute(tx.db)
  else
    await tx.db
      .deleteFrom('hidden_previews')
      .where(matches({ realm_id: tx.realmId, message_id, url_hash: hashes }))
      .execute()
  await showPreviews(tx, deps, realm, message_id)
}
