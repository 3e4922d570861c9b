import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { exists } from '../../platform/db/query.ts'
import { foldCase } from '../../platform/text.ts'
import { checkStorageLimit } from '../users/storage-limits.ts'
import { readOwnAlertWords } from './queries.ts'

/** Adds words, ignoring those that differ only in case from an existing one. Returns all words of the user. */
export async function addAlertWords(tx: Tx, caller: Caller, added: string[]): Promise<string[]> {
  const words = added.map((word) => word.trim()).filter((word) => word !== '')
  const changed = await exists(tx.db)`
    insert into alert_words (realm_id, user_id, word, word_key)
    select ${tx.realmId}, ${caller.id}, * from unnest(${words}::text[], ${words.map(foldCase)}::text[])
    on conflict do nothing returning word`
  await checkStorageLimit(tx, caller.id, 'alert_words')
  return emitIfChanged(tx, caller, changed)
}

export async function removeAlertWords(tx: Tx, caller: Caller, removed: string[]): Promise<string[]> {
  const keys = removed.map((word) => foldCase(word.trim()))
  const { numDeletedRows } = await tx.db
    .deleteFrom('alert_words')
    .where(matches({ realm_id: tx.realmId, user_id: caller.id, word_key: keys }))
    .executeTakeFirstOrThrow()
  return emitIfChanged(tx, caller, numDeletedRows > 0n)
}

/** Bumps the version, so that processes reload the alert words they cache for the realm. */
async function emitIfChanged(tx: Tx, caller: Caller, hasChanged: boolean): Promise<string[]> {
  const alert_words = await readOwnAlertWords(tx.db, caller)
  if (!hasChanged) return alert_words
  await sql`update realms set alert_words_version = alert_words_version + 1 where id = ${tx.realmId}`.execute(tx.db)
  tx.emit({ type: 'alert_words', alert_words }, { users: [caller.id] }, { access: true })
  return alert_words
}
