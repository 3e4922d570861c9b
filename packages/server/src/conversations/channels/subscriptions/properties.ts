import type { SubscriptionObject, SubscriptionProperty } from '@parley/api/conversations/subscriptions'
import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import type { Tx } from '../../../events/transact.ts'
import { matches } from '../../../platform/db/matches.ts'
import { many } from '../../../platform/db/query.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { InvalidChannelId } from '../access.ts'
import { readChannels } from '../queries.ts'
import { fullColor } from './colors.ts'
import { type Personal, personalColumns, subscriptionObject } from './subscription-object.ts'

export interface PropertyChange {
  stream_id: number
  property: SubscriptionProperty
  value: boolean | string
}

/** Updates the user's own settings of subscribed channels. Applies all changes or none. */
export async function changeProperties(tx: Tx, user: Caller, changes: PropertyChange[]): Promise<void> {
  const stored = changes.map(storedForm)
  const ids = [...new Set(stored.map(({ stream_id }) => stream_id))]
  const own = await lockOwn(tx, user, ids)
  const channels = await readChannels(tx.db, user.realm, sql`c.id = any(${ids}::bigint[])`)
  for (const change of stored) {
    await tx.db
      .updateTable('subscriptions')
      .set({ [change.property]: change.value })
      .where(matches({ realm_id: tx.realmId, user_id: user.id, channel_id: change.stream_id }))
      .execute()
    const personal = { ...own.get(change.stream_id)!, [change.property]: change.value }
    own.set(change.stream_id, personal)
    const channel = channels.find(({ stream_id }) => stream_id === change.stream_id)!
    emitProperty(tx, user, change, subscriptionObject(channel, personal))
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

async function lockOwn(tx: Tx, { id }: Caller, channelIds: number[]): Promise<Map<number, Personal>> {
  const rows = await many<Personal & { channel_id: number }>(tx.db)`
    select s.channel_id, ${personalColumns} from subscriptions s
     where s.realm_id = ${tx.realmId} and s.user_id = ${id} and s.channel_id = any(${channelIds}::bigint[]) and s.is_active
     order by s.channel_id for no key update`
  if (rows.length < channelIds.length) throw new InvalidChannelId()
  return new Map(rows.map(({ channel_id, ...personal }) => [channel_id, personal]))
}

/** Muting is also emitted in the form that older clients know. */
function emitProperty(
  tx: Tx,
  { id }: Caller,
  { stream_id, property, value }: PropertyChange,
  now: SubscriptionObject,
): void {
  const emit = (name: SubscriptionProperty, newValue: boolean | string) =>
    tx.emit(
      { type: 'subscription', op: 'update', stream_id, property: name, value: newValue, subscriptions: [now] },
      { users: [id] },
      // Muted channels are cached, because sending to one may unmute its topics.
      name === 'is_muted' ? { access: true } : undefined,
    )
  if (property === 'is_muted') emit('in_home_view', !value)
  emit(property, value)
}
