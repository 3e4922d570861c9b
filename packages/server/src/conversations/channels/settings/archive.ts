import type { ServerEvent } from '@parley/api/events'
import { sql } from 'kysely'
import type { Realm } from '../../../callers/realm-state.ts'
import { lockRealm } from '../../../events/lock-row.ts'
import type { Tx } from '../../../events/transact.ts'
import { changedSettings, storeSettings } from '../../../organization/realms/update-realm.ts'
import { matches } from '../../../platform/db/matches.ts'
import { many } from '../../../platform/db/query.ts'
import type { Channel } from '../access.ts'
import { removeFromDefaultGroups } from '../default-groups/actions.ts'
import { readChannels, readSubscribers } from '../queries.ts'
import { type Personal, personalColumns, subscriptionObject } from '../subscriptions/subscription-object.ts'
import { peerAudience, readHolders, viewerAudience } from '../visibility/channel-audience.ts'
import { removeDefaultChannel } from './default-channels.ts'

/** Archives a locked channel. It keeps its name and subscribers, but accepts no messages. */
export async function archiveChannel(tx: Tx, realm: Realm, channel: Channel): Promise<void> {
  await storeArchived(tx, channel, true)
  await removeDefaultChannel(tx, channel.id)
  await lockRealm(tx)
  await removeFromDefaultGroups(tx, channel.id)
  await storeSettings(tx, realm, changedSettings(realm, settingsWithout(realm, channel.id)))
  const audience = viewerAudience(channel, await readHolders(tx.db, realm.id, [channel]))
  tx.emit(archivedEvent(channel, true), audience, { access: true })
}

async function storeArchived(tx: Tx, { id }: Channel, is_archived: boolean): Promise<void> {
  await tx.db
    .updateTable('channels')
    .set({ is_archived })
    .where(matches({ realm_id: tx.realmId, id }))
    .execute()
}

const none = -1

/** The realm settings that refer to the channel, each reset to "none". */
function settingsWithout({ settings }: Realm, id: number): Record<string, number> {
  const references = Object.entries(settings).filter(
    ([name, value]) => /_(stream|channel)_id$/.test(name) && value === id,
  )
  return Object.fromEntries(references.map(([name]) => [name, none]))
}

function archivedEvent({ id, name }: Channel, value: boolean) {
  return { type: 'stream', op: 'update', stream_id: id, name, property: 'is_archived', value } as const
}

/**
 * Unarchives a channel. Clients without support for archived channels have dropped it and its subscribers. The events
 * carry what these clients need to add it again; delivery/queues/wire-events.ts gives each client its form.
 */
export async function unarchiveChannel(tx: Tx, realm: Realm, archived: Channel): Promise<void> {
  const channel = { ...archived, is_archived: false }
  await storeArchived(tx, channel, false)
  const holders = await readHolders(tx.db, realm.id, [channel])
  const [object] = await readChannels(tx.db, realm, sql`c.id = ${channel.id}`)
  const event = { ...archivedEvent(channel, false), channel: object! }
  tx.emit(event, viewerAudience(channel, holders), { access: true })
  const subscribers = (await readSubscribers(tx.db, realm.id, [channel.id])).get(channel.id) ?? []
  const rows = await many<Personal & { user_id: number }>(tx.db)`
    select s.user_id, ${personalColumns} from subscriptions s
     where s.realm_id = ${realm.id} and s.channel_id = ${channel.id} and s.is_active`
  for (const { user_id, ...personal } of rows) {
    const subscriptions = [subscriptionObject(object!, personal, { subscribers })]
    tx.emit(onlyForOlderClients({ type: 'subscription', op: 'add', subscriptions }), { users: [user_id] })
  }
  if (subscribers.length > 0)
    tx.emit(
      onlyForOlderClients({ type: 'subscription', op: 'peer_add', stream_ids: [channel.id], user_ids: subscribers }),
      {
        ...peerAudience(realm, channel, holders),
        except: subscribers,
      },
    )
}

/** Marks events that clients with support for archived channels do not need. */
function onlyForOlderClients(event: ServerEvent): ServerEvent {
  return Object.assign(event, { isUnarchived: true })
}
