import type { SubscriptionProperty } from '@parley/api/subscriptions'
import { sql } from 'kysely'
import type { Tx } from '../platform/db/transact.ts'
import { ApiError } from '../platform/http/api-error.ts'
import type { Caller } from '../users/caller.ts'
import { InvalidChannelId } from './access.ts'
import { fullColor } from './colors.ts'

export interface PropertyChange {
  stream_id: number
  property: SubscriptionProperty
  value: boolean | string
}

/** Changes what is somebody's own about channels they are in; all of it or nothing. */
export async function changeProperties(tx: Tx, user: Caller, changes: PropertyChange[]): Promise<void> {
  const wanted = changes.map(storedForm)
  await lockOwn(tx, user, [...new Set(wanted.map(({ stream_id }) => stream_id))])
  for (const change of wanted) {
    await tx.db
      .updateTable('subscriptions')
      .set({ [change.property]: change.value })
      .where('realm_id', '=', tx.realmId)
      .where('user_id', '=', user.id)
      .where('channel_id', '=', change.stream_id)
      .execute()
    tellOfProperty(tx, user, change)
  }
}

function storedForm({ stream_id, property, value }: PropertyChange): PropertyChange {
  if (property === 'color') return { stream_id, property, value: checkColor(value) }
  if (typeof value !== 'boolean') throw new ApiError(`${property} is not a boolean`)
  return property === 'in_home_view'
    ? { stream_id, property: 'is_muted', value: !value }
    : { stream_id, property, value }
}

function checkColor(value: boolean | string): string {
  if (typeof value !== 'string' || !/^#([0-9a-fA-F]{3}){1,2}$/.test(value))
    throw new ApiError('color is not a valid hex color code')
  return fullColor(value)
}

async function lockOwn(tx: Tx, { id }: Caller, channelIds: number[]): Promise<void> {
  const { rows } = await sql`
    select 1 from subscriptions s
     where s.realm_id = ${tx.realmId} and s.user_id = ${id} and s.channel_id = any(${channelIds}::bigint[]) and s.is_active
     order by s.channel_id for no key update`.execute(tx.db)
  if (rows.length < channelIds.length) throw new InvalidChannelId()
}

/** Muting is also told in the form that older clients know it by. */
function tellOfProperty(tx: Tx, { id }: Caller, { stream_id, property, value }: PropertyChange): void {
  const tell = (name: SubscriptionProperty, now: boolean | string) =>
    tx.emit(
      { type: 'subscription', op: 'update', stream_id, property: name, value: now },
      { users: [id] },
      // Sending to a muted channel may unmute its topics: who has muted what is remembered.
      name === 'is_muted' ? { access: true } : undefined,
    )
  if (property === 'is_muted') tell('in_home_view', !value)
  tell(property, value)
}
