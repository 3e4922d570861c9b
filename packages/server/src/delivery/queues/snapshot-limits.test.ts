import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDefaultChannel, getChannelId } from '@parley/api/conversations/channels'
import { subscribe } from '@parley/api/conversations/subscriptions'
import { setTopicPolicy } from '@parley/api/conversations/topics'
import { registerParts } from '@parley/api/delivery/register'
import { profileFieldTypes } from '@parley/api/kinds'
import { listLimits, sharedLimits, storageLimits } from '@parley/api/limits'
import type { Operation } from '@parley/api/operation'
import { addDomain } from '@parley/api/organization/domains'
import { createChannelFolder } from '@parley/api/organization/folders'
import { createUserGroup } from '@parley/api/organization/groups'
import { addLinkifier, addPlayground } from '@parley/api/organization/linkifiers'
import { createProfileField, updateProfileData } from '@parley/api/people/profile-fields'
import { type RawBuilder, sql } from 'kysely'
import { loadState } from '../../callers/realm-state.ts'
import { newWorld } from '../../testing/world.ts'

const accounts = 'accounts, which administrators and invitations create'
const channels = sharedLimits.channels.total
const ofServer = 'the server decides'
const messages = 'messages that the caller received'

/** What keeps each list of the snapshot from growing without limit. */
const limits: Record<string, number | string> = {
  alert_words: storageLimits.alertWords,
  available_notification_sounds: ofServer,
  channel_folders: sharedLimits.channelFolders.total,
  cross_realm_bots: ofServer,
  custom_profile_field_types: ofServer,
  custom_profile_fields: sharedLimits.profileFields.total,
  drafts: storageLimits.drafts,
  emojiset_choices: ofServer,
  giphy_rating_options: ofServer,
  muted_topics: storageLimits.topicPolicies,
  muted_users: accounts,
  never_subscribed: channels,
  onboarding_steps: ofServer,
  presences: accounts,
  realm_authentication_methods: ofServer,
  realm_available_video_chat_providers: ofServer,
  realm_bots: storageLimits.bots,
  realm_default_external_accounts: ofServer,
  realm_default_stream_groups: 'administrators create them, of default channels',
  realm_default_streams: sharedLimits.defaultChannels.total,
  realm_domains: sharedLimits.domains.total,
  realm_embedded_bots: ofServer,
  realm_emoji: sharedLimits.customEmoji.total,
  realm_filters: 'empty: clients use the linkifiers',
  realm_incoming_webhook_bots: ofServer,
  realm_linkifiers: sharedLimits.linkifiers.total,
  realm_non_active_users: accounts,
  realm_playgrounds: sharedLimits.playgrounds.total,
  realm_user_groups: sharedLimits.userGroups.total,
  realm_users: accounts,
  recent_private_conversations: 'the newest messages of the caller',
  reminders: storageLimits.reminders,
  saved_snippets: storageLimits.savedSnippets,
  scheduled_messages: storageLimits.scheduledMessages,
  server_supported_permission_settings: ofServer,
  server_thumbnail_formats: ofServer,
  starred_messages: messages,
  stop_words: ofServer,
  streams: channels,
  subscriptions: channels,
  unsubscribed: channels,
  user_status: accounts,
  user_topics: storageLimits.topicPolicies,
}

interface Schema {
  type?: string
  anyOf?: Schema[]
  patternProperties?: object
}

function isList({ type, anyOf, patternProperties }: Schema): boolean {
  return type === 'array' || patternProperties !== undefined || (anyOf ?? []).some(isList)
}

test('every list of the snapshot has a limit or a reason why it needs none', () => {
  const lists = Object.values(registerParts).flatMap((part) =>
    Object.entries(part).flatMap(([name, schema]) => (isList(schema as Schema) ? [name] : [])),
  )
  assert.deepEqual([...new Set(lists)].sort(), Object.keys(limits).sort())
})

/** How to fill an organization to one below a limit, and a request that adds one more. */
const kinds: [string, number, (realm: number) => RawBuilder<unknown>, Operation, (n: number) => object][] = [
  [
    'linkifiers',
    sharedLimits.linkifiers.total,
    (realm) => sql`insert into linkifiers (realm_id, pattern, url_template, place) select ${realm}, 'x' || n, 'x', n`,
    addLinkifier as Operation,
    (n) => ({ pattern: `#(?P<id>[0-9]{${n}})`, url_template: 'https://x.test/{id}' }),
  ],
  [
    'code playgrounds',
    sharedLimits.playgrounds.total,
    (realm) =>
      sql`insert into playgrounds (realm_id, name, pygments_language, url_template) select ${realm}, n, 'x', 'x'`,
    addPlayground as Operation,
    (n) => ({ name: `more ${n}`, pygments_language: 'Rust', url_template: 'https://x.test/{code}' }),
  ],
  [
    'email domains',
    sharedLimits.domains.total,
    (realm) => sql`insert into realm_domains (realm_id, domain, allow_subdomains) select ${realm}, n || '.test', false`,
    addDomain as Operation,
    (n) => ({ domain: `more${n}.test`, allow_subdomains: false }),
  ],
  [
    'profile fields',
    sharedLimits.profileFields.total,
    (realm) => sql`insert into profile_fields (realm_id, name, field_type, place) select ${realm}, n, 1, n`,
    createProfileField as Operation,
    (n) => ({ field_type: 1, name: `more ${n}` }),
  ],
  [
    'channel folders',
    sharedLimits.channelFolders.total,
    (realm) => sql`insert into channel_folders (realm_id, name, name_key, place) select ${realm}, n, n, n`,
    createChannelFolder as Operation,
    (n) => ({ name: `more ${n}` }),
  ],
]

for (const [things, limit, fill, operation, more] of kinds)
  test(`an organization has a limited number of ${things}`, async () => {
    const { olga, ctx, realmId } = await newWorld()
    await sql`${fill(realmId)} from generate_series(1, ${limit - 1}) as n`.execute(ctx.db)
    await olga.does(operation, more(1) as never)
    const { code, msg } = await olga.isRefused(operation, more(2) as never)
    assert.equal(code, 'BAD_REQUEST')
    assert.match(msg, new RegExp(`at most ${limit} ${things}`))
  })

const newGroup = (name: string) => ({ name, members: [], description: '' })

test('a member creates a limited number of user groups and channels; administrators create more', async () => {
  const { ann, ben, adam, ctx, realmId } = await newWorld()
  const { realm } = await loadState(ctx.db, realmId)
  const nobody = realm.systemGroups['role:nobody']
  for (const { id } of [ann, adam]) {
    await sql`
      insert into user_groups (realm_id, name, creator_id, can_add_members_group, can_join_group, can_leave_group,
                               can_manage_group, can_mention_group, can_remove_members_group)
      select ${realmId}, ${id}::text || n, ${id}, g, g, g, g, g, g
        from generate_series(1, ${sharedLimits.userGroups.perMember - 1}) n, (select ${nobody}::bigint g) as g`.execute(
      ctx.db,
    )
    await sql`
      insert into channels (realm_id, name, name_key, creator_id, can_add_subscribers_group, can_administer_channel_group,
                            can_remove_subscribers_group, can_send_message_group, can_subscribe_group)
      select ${realmId}, ${id}::text || n, ${id}::text || n, ${id}, g, g, g, g, g
        from generate_series(1, ${sharedLimits.channels.perMember - 1}) n, (select ${nobody}::bigint g) as g`.execute(
      ctx.db,
    )
  }
  await ann.does(createUserGroup, newGroup('one'))
  await ann.does(subscribe, { subscriptions: [{ name: 'one' }] })
  assert.match((await ann.isRefused(createUserGroup, newGroup('two'))).msg, /at most 100 user groups/)
  const two = { subscriptions: [{ name: 'two' }] }
  assert.match((await ann.isRefused(subscribe, two)).msg, /at most 250 channels/)
  await ben.does(createUserGroup, newGroup('two'))
  await ben.does(subscribe, two)
  for (const name of ['three', 'four']) {
    await adam.does(createUserGroup, newGroup(name))
    await adam.does(subscribe, { subscriptions: [{ name }] })
  }
})

test('there is a limited number of default channels', async () => {
  const { olga, ctx, realmId } = await newWorld()
  await olga.does(subscribe, { subscriptions: [{ name: 'verona' }] })
  await sql`
    insert into channels (realm_id, name, name_key, can_add_subscribers_group, can_administer_channel_group,
                          can_remove_subscribers_group, can_send_message_group, can_subscribe_group)
    select realm_id, 'n' || n, 'n' || n, can_send_message_group, can_send_message_group, can_send_message_group,
           can_send_message_group, can_send_message_group
      from channels, generate_series(1, ${sharedLimits.defaultChannels.total}) n
     where realm_id = ${realmId} and name = 'verona'`.execute(ctx.db)
  await sql`insert into default_channels (realm_id, channel_id)
            select realm_id, id from channels where realm_id = ${realmId} and name like 'n%'`.execute(ctx.db)
  const { stream_id } = await olga.does(getChannelId, { stream: 'verona' })
  assert.match((await olga.isRefused(addDefaultChannel, { stream_id })).msg, /at most 500 default channels/)
})

test('a user has a limited number of topic policies', async () => {
  const { ann, ctx, realmId } = await newWorld()
  await ann.does(subscribe, { subscriptions: [{ name: 'verona' }] })
  await sql`
    with made as (
      insert into topics (realm_id, channel_id, name, name_key)
      select realm_id, id, 'n' || n, 'n' || n
        from channels, generate_series(1, ${storageLimits.topicPolicies}) n
       where realm_id = ${realmId} and name = 'verona'
      returning id)
    insert into user_topics (realm_id, user_id, topic_id, visibility_policy) select ${realmId}, ${ann.id}, id, 1 from made`.execute(
    ctx.db,
  )
  const { stream_id } = await ann.does(getChannelId, { stream: 'verona' })
  const { msg } = await ann.isRefused(setTopicPolicy, { stream_id, topic: 'new', visibility_policy: 1 })
  assert.match(msg, /at most 10000 muted, unmuted and followed topics/)
  await ann.does(setTopicPolicy, { stream_id, topic: 'n1', visibility_policy: 0 })
  await ann.does(setTopicPolicy, { stream_id, topic: 'new', visibility_policy: 1 })
})

test('values of profile fields are short', async () => {
  const { olga, gus, ann } = await newWorld()
  const create = async (field_type: 5 | 6, name: string) =>
    (await olga.does(createProfileField, { field_type, name })).id
  const link = await create(profileFieldTypes.URL.id, 'Site')
  const users = await create(profileFieldTypes.USER.id, 'Mentors')
  const refusal = async (id: number, value: string) =>
    (await gus.isRefused(updateProfileData, { data: [{ id, value }] })).msg
  assert.match(await refusal(link, `https://x.test/${'x'.repeat(2000)}`), /at most 2000 characters/)
  const list = JSON.stringify(Array(listLimits.profileUsers + 1).fill(ann.id))
  assert.match(await refusal(users, list), /at most 100 users/)
})
