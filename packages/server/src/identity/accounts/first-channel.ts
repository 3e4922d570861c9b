import { channelPermissionNames } from '@parley/api/conversations/channels'
import { channelGroupSettings } from '@parley/api/permission-settings'
import type { Realm } from '../../callers/realm-state.ts'
import type { Context } from '../../context.ts'
import { lockFirstChannels } from '../../conversations/channels/access.ts'
import { addDefaultChannels, createChannels, type NewChannelSettings } from '../../conversations/channels/create.ts'
import { subscribeUsers } from '../../conversations/channels/subscriptions/subscribe.ts'
import { sendNotices } from '../../conversations/messages/send/notices.ts'
import type { Tx } from '../../events/transact.ts'
import { findSystemBot } from '../../people/users/system-bots.ts'

const description = 'For everyone, about anything.'
const general = { name: 'general', description, rendered_description: `<p>${description}</p>` }

/** Creates the channel that every member of a new organization joins, with a first message. */
export async function createFirstChannel(tx: Tx, ctx: Pick<Context, 'renderer'>, realm: Realm): Promise<void> {
  const ids = await createChannels(tx, realm, [general], settingsIn(realm))
  const channels = await lockFirstChannels(tx.db, realm.id, ids, false)
  await subscribeUsers(tx, realm, { users: [], channels, created: channels, colors: new Map() })
  const sender = await findSystemBot(tx.db, realm, 'welcome')
  const destination = { kind: 'channel', channel: channels[0]!, topic: 'welcome' } as const
  await sendNotices(tx, ctx, realm, [{ sender, destination, content: firstMessage(realm), refersTo: { channels } }])
  await addDefaultChannels(tx, ids)
}

function settingsIn({ systemGroups }: Realm): NewChannelSettings {
  const permissions = channelPermissionNames.map((name) => [name, systemGroups[channelGroupSettings[name].default]])
  return {
    creator_id: null,
    invite_only: false,
    is_web_public: false,
    history_public_to_subscribers: true,
    message_retention_days: null,
    folder_id: null,
    permissions: Object.fromEntries(permissions) as NewChannelSettings['permissions'],
  }
}

function firstMessage({ name }: Realm): string {
  return `Welcome to **${name}**! This is the topic "welcome" in the channel #**general**, which everyone joins.

* A **channel** is for a team or a subject. Create one for each.
* A **topic** is one conversation in a channel. Start a new one for every question, so that people can read what matters \
to them and answer later.
* Mention people with \`@\` when you need them.

Say hello here, or start a topic of your own.`
}
