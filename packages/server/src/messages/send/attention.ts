import { sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import { RealmCache } from '../../realms/realm-cache.ts'
import type { RealmState } from '../../realms/state.ts'
import { readAlertWords } from '../model/alert-words.ts'
import type { Destination } from './destination.ts'

/** Readers for whom a message is more, or less, than one to read. */
export interface Attention {
  /** Who need not read it: they have muted its sender, or it tells of their own deed. */
  read: number[]
  /** Who is alerted to a word in it. */
  alerted: number[]
}

const none: Attention = { read: [], alerted: [] }

/** Whose attention a message needs, or does not, among those who receive it. Mostly nothing has to be looked up. */
export async function attentionOf(
  db: Db,
  state: RealmState,
  senderId: number,
  destination: Destination,
  content: string,
  doers: number[] = [],
): Promise<Attention> {
  const read = [...new Set([...(await mutersOf(db, state, senderId)), ...doers])]
  const alerted = (await readAlertWords(db, state)).alertedBy(content)
  if (read.length === 0 && alerted.length === 0) return none
  const receives = await receiversAmong(db, state.realm.id, destination, [...read, ...alerted])
  return { read: read.filter((id) => receives.has(id)), alerted: alerted.filter((id) => receives.has(id)) }
}

/** Who muted a user, by that user's id. */
const mutersByUser = new RealmCache<number, number[]>({
  entries: 20_000,
  bytes: 8 * 1024 * 1024,
  sizeOf: (ids) => 50 + 8 * ids.length,
})

/** Safe to cache: muting a user bumps `access_version`. */
async function mutersOf(db: Db, state: RealmState, senderId: number): Promise<number[]> {
  return mutersByUser.getOrLoad(state, senderId, async () => {
    const rows = await db
      .selectFrom('muted_users')
      .select('user_id')
      .where('realm_id', '=', state.realm.id)
      .where('muted_user_id', '=', senderId)
      .execute()
    return rows.map(({ user_id }) => user_id)
  })
}

/** A record of one's own would make anybody a receiver, so that nobody else may get one. */
async function receiversAmong(
  db: Db,
  realmId: number,
  destination: Destination,
  userIds: number[],
): Promise<Set<number>> {
  if (destination.kind === 'direct') return new Set(destination.people.map(({ id }) => id))
  const { rows } = await sql<{ user_id: number }>`
    select user_id from subscriptions
     where realm_id = ${realmId} and channel_id = ${destination.channel.id} and is_active
       and user_id = any(${userIds}::bigint[])`.execute(db)
  return new Set(rows.map(({ user_id }) => user_id))
}
