import { RealmCache } from '../../../callers/realm-cache.ts'
import type { RealmState } from '../../../callers/realm-state.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { columnOf } from '../../../platform/db/query.ts'
import { readAlertWords } from '../model/alert-words.ts'
import type { Destination } from './destination.ts'

/** Recipients who get a message with extra flags. */
export interface Attention {
  /** Users who get it as read: they muted its sender, or it reports what they did. */
  read: number[]
  /** Users with an alert word in it. */
  alerted: number[]
}

const none: Attention = { read: [], alerted: [] }

/** Finds the recipients who get a message as read or with an alert word. Usually answered from caches alone. */
export async function attentionOf(
  db: Db,
  state: RealmState,
  senderId: number,
  destination: Destination,
  content: string,
  doers: number[] = [],
): Promise<Attention> {
  const muters = await mutersOf(db, state, senderId)
  const read = doers.length === 0 ? muters : [...new Set([...muters, ...doers])]
  const alerted = (await readAlertWords(db, state)).alertedBy(content, state.realm.settings.default_code_block_language)
  if (read.length === 0 && alerted.length === 0) return none
  const recipients = await recipientsAmong(db, state.realm.id, destination, [...read, ...alerted])
  return { read: read.filter((id) => recipients.has(id)), alerted: alerted.filter((id) => recipients.has(id)) }
}

/** The users who muted a user, by the id of the muted user. */
const mutersByUser = new RealmCache<number, number[]>({
  entries: 20_000,
  bytes: 8 * 1024 * 1024,
  sizeOf: (ids) => 50 + 8 * ids.length,
})

/** Safe to cache: muting a user bumps `access_version`. */
function mutersOf(db: Db, state: RealmState, senderId: number): number[] | Promise<number[]> {
  return mutersByUser.getOrLoad(state, senderId, async () => {
    const rows = await db
      .selectFrom('muted_users')
      .select('user_id')
      .where(matches({ realm_id: state.realm.id, muted_user_id: senderId }))
      .execute()
    return rows.map(({ user_id }) => user_id)
  })
}

/** Only recipients may get a flags row: the row itself would make any user a recipient. */
async function recipientsAmong(
  db: Db,
  realmId: number,
  destination: Destination,
  userIds: number[],
): Promise<Set<number>> {
  if (destination.kind === 'direct') return new Set(destination.participants.map(({ id }) => id))
  const channel_id = destination.channel.id
  const subscribed = matches({ realm_id: realmId, channel_id, is_active: true, user_id: userIds })
  return new Set(await columnOf(db.selectFrom('subscriptions').select('user_id').where(subscribed)))
}
