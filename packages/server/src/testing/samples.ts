import assert from 'node:assert/strict'
import { createECDH, randomBytes } from 'node:crypto'
import * as queues from '@parley/api/delivery/queues'
import type { Operation } from '@parley/api/operation'
import { operationList, operations } from '@parley/api/operations'
import { roles } from '@parley/api/roles'
import { transactIn } from '../context.ts'
import { addCredential } from '../identity/sessions/stored-credentials.ts'
import { type Actor, encode } from './actor.ts'
import { inChannel, leaves } from './channels.ts'
import { uploads } from './files.ts'
import { addAuthenticator } from './peers/authenticator.ts'
import { newReceiver } from './peers/receiver.ts'
import type { World } from './world.ts'

type Values = Record<string, unknown>

/** A call that succeeds. */
export interface Sample {
  operation: Operation
  by: Actor
  path: Values
  params: Values
}

export const encodings = ['query', 'form', 'multipart', 'json'] as const
export type Encoding = (typeof encodings)[number]

const boundary = 'parley-test-boundary'

/** The setting of the calls: Ann is subscribed to verona and padua, and has sent a message to verona. */
export interface PopulatedWorld extends World {
  stream_id: number
  message_id: number
}

export async function populate(world: World): Promise<PopulatedWorld> {
  const { ann } = world
  await ann.does(operations.subscribe, { subscriptions: [{ name: 'verona' }, { name: 'padua' }] })
  const message_id = await ann.sends({ channel: 'verona' })
  const { stream_id } = await ann.does(operations.getChannelId, { stream: 'verona' })
  return { ...world, stream_id, message_id }
}

type Recipe = (world: PopulatedWorld) => Values | Promise<Values>

const key = createECDH('prime256v1').generateKeys('base64url')

const browserOf = (name: string) => ({
  endpoint: `https://push.example.com/${name}`,
  p256dh: key,
  auth: 'AAAAAAAAAAAAAAAAAAAAAA',
})

/** A channel that anyone may read. */
async function openChannel({ olga }: PopulatedWorld): Promise<Values> {
  const stream_id = await inChannel('open-to-all', [olga])
  await leaves(olga, 'open-to-all')
  await olga.does(operations.updateRealm, { enable_spectator_access: true })
  await olga.does(operations.updateChannel, { path: { stream_id }, is_web_public: true })
  return { path: { stream_id } }
}

/** Of a moderator who alone may restore it. */
async function deletedMessage({ add, ann }: PopulatedWorld): Promise<Values> {
  const by = await add(freshName(), roles.moderator)
  const message_id = await by.sends({ to: [ann] })
  await by.does(operations.deleteMessage, { path: { message_id } })
  return { by, path: { message_id } }
}

async function registeredBrowser({ ann }: World): Promise<Values> {
  const browser = browserOf('of-ann')
  await ann.does(operations.addWebPush, browser)
  return { endpoint: browser.endpoint }
}

/**
 * The parameters (and `path`, and `by` if the caller is not Ann) of operations that need any. Created again for each
 * call.
 */
const recipes: Record<string, Recipe> = {
  sendMessage: ({ ben }) => ({ type: 'direct', to: [ben.id], content: 'hi', topic: 'ignored for direct messages' }),
  updateMessageFlags: ({ message_id }) => ({ messages: [message_id], op: 'add', flag: 'starred' }),
  stopWork: ({ ben }) => ({ path: { user_id: ben.id } }),
  setTypingStatus: ({ ben }) => ({ op: 'start', to: [ben.id] }),
  updatePresence: () => ({ status: 'active' }),
  getChannelId: () => ({ stream: 'verona' }),
  getMessages: () => ({ anchor: 'newest', num_before: 5, num_after: 0 }),
  subscribe: () => ({ subscriptions: [{ name: 'verona' }] }),
  unsubscribe: () => ({ subscriptions: ['padua'] }),
  getEvents: () => ({ dont_block: true }),
  deleteQueue: async ({ ann }) => ({ queue_id: await queueOf(ann) }),
  editMessage: async ({ ann, ben }) => ({ path: { message_id: await ann.sends({ to: [ben] }) }, content: 'hi again' }),
  renderMessage: () => ({ content: '**hi**' }),
  addReaction: async ({ ann, ben }) => ({ path: { message_id: await ann.sends({ to: [ben] }) }, emoji_name: 'tada' }),
  removeReaction: async (world) => ({ path: { message_id: await reactedMessage(world) }, emoji_name: 'tada' }),
  createSavedSnippet: () => ({ title: 'a', content: 'b' }),
  editSavedSnippet: async (world) => ({ path: { saved_snippet_id: await newSnippet(world) }, title: 'c' }),
  deleteSavedSnippet: async (world) => ({ path: { saved_snippet_id: await newSnippet(world) } }),
  deleteMessage: async ({ ann, ben }) => ({ path: { message_id: await ann.sends({ to: [ben] }) } }),
  getDeletedMessages: ({ mona }) => ({ by: mona }),
  restoreMessage: deletedMessage,
  deleteTopic: ({ adam }) => ({ by: adam, topic_name: freshName() }),
  matchNarrow: ({ message_id }) => ({ msg_ids: [message_id], narrow: [] }),
  updateFlagsInNarrow: () => ({ ...newestMessages, narrow: [], op: 'add', flag: 'starred' }),
  markAllAsRead: () => ({}),
  markChannelAsRead: ({ stream_id }) => ({ stream_id }),
  markTopicAsRead: ({ stream_id }) => ({ stream_id, topic_name: 'greetings' }),
  setTopicPolicy: ({ stream_id }) => ({ stream_id, topic: freshName(), visibility_policy: 1 }),
  muteTopic: ({ stream_id }) => ({ stream_id, topic: freshName(), op: 'add' }),
  createDrafts: () => ({ drafts: [draft] }),
  editDraft: async (world) => ({ path: { draft_id: await newDraft(world) }, draft }),
  deleteDraft: async (world) => ({ path: { draft_id: await newDraft(world) } }),
  scheduleMessage: planned,
  editScheduledMessage: async (world) => ({ path: await newPlan(world), content: 'changed' }),
  deleteScheduledMessage: async (world) => ({ path: await newPlan(world) }),
  getOpenChannels: async (world) => ({ ...(await openChannel(world)), path: {} }),
  getOpenTopics: openChannel,
  getOpenMessages: async (world) => ({ ...(await openChannel(world)), num_before: 5 }),
  getChannelPins: ({ stream_id }) => ({ path: { stream_id } }),
  createChannelPin: ({ stream_id }) => ({ path: { stream_id }, url: 'https://example.com', title: 'Build status' }),
  deleteChannelPin: async (world) => ({ path: await newPin(world) }),
  createReminder: async (world) => ({ message_id: await world.ann.sends({ to: [world.ben] }), ...later() }),
  deleteReminder: async (world) => ({ path: await newReminder(world) }),
  updateMessagePreviews: async (world) => ({ by: world.ann, path: { message_id: await linking(world) }, hidden: true }),
  reportMessage: async (world) => ({ path: await reportable(world), report_type: 'spam' }),
  pressAction: async ({ ann, ben }) => ({
    path: { message_id: await ann.sends({ to: [ben], widget_content: { widget_type: 'actions', extra_data } }) },
    action_id: 'yes',
  }),
  runCommand: async (world) => ({ command: await newCommand(world), to: [world.ben.id] }),
  addSubmessage: async ({ ann, ben }) => ({
    message_id: await ann.sends({ to: [ben], content: '/poll Lunch?' }),
    msg_type: 'widget',
    content: '{"type":"vote","key":"canned,0","vote":1}',
  }),
  setEditTypingStatus: async ({ ann, ben }) => ({ path: { message_id: await ann.sends({ to: [ben] }) }, op: 'start' }),
  createBot: () => ({ full_name: freshName(), short_name: freshName() }),
  updateBot: async (world) => ({ path: await newBot(world), full_name: freshName() }),
  deactivateBot: async (world) => ({ path: await newBot(world) }),
  getBotApiKey: async (world) => ({ path: await newBot(world) }),
  getBotSecrets: async (world) => ({ path: await newBot(world) }),
  regenerateBotApiKey: async (world) => ({ path: await newBot(world) }),
  getBotStorage: async (world) => ({ by: await botActor(world) }),
  updateBotStorage: async (world) => ({ by: await botActor(world), storage: { a: 'b' } }),
  deleteBotStorage: async (world) => ({ by: await botActor(world) }),
  getWebhookPayload: () => ({}),
  getDeliveries: async (world) => ({ path: await newBot(world) }),
  replayDelivery: (world) => newDelivery(world),
  getWebhookSecret: async (world) => ({ path: await newBot(world) }),
  // Each hook has a bot, and users own at most 100 bots.
  createHook: async ({ add, stream_id }) => ({
    by: await add(freshName()),
    integration: 'json',
    name: freshName(),
    channel_id: stream_id,
  }),
  updateHook: async (world) => ({ ...(await newHook(world)), name: freshName() }),
  deleteHook: newHook,
  getHookRequests: newHook,
  replayHookRequest: newHookRequest,
  testHook: newHook,
  previewHook: () => ({ integration: 'json', payload: '{"a": 1}' }),
  createUserGroup: () => ({ name: freshName(), description: '', members: [] }),
  updateUserGroup: async (world) => ({ path: await newGroup(world), name: freshName() }),
  deactivateUserGroup: async (world) => ({ path: await newGroup(world) }),
  updateUserGroupMembers: async (world) => ({ path: await newGroup(world), add: [world.ben.id] }),
  getUserGroupMembers: async (world) => ({ path: await newGroup(world) }),
  getUserGroupMembership: async (world) => ({ path: { ...(await newGroup(world)), user_id: world.ben.id } }),
  updateSubgroups: async (world) => ({
    path: await newGroup(world),
    add: [(await newGroup(world)).user_group_id],
  }),
  getSubgroups: async (world) => ({ path: await newGroup(world) }),
  deleteRealmIcon: ({ olga }) => ({ by: olga }),
  deleteRealmLogo: ({ olga }) => ({ by: olga }),
  updateRealm: ({ olga }) => ({ by: olga, mandatory_topics: false }),
  updateChannel: () => ({ description: freshName() }),
  archiveChannel: async (world) => ({ path: await newChannel(world) }),
  createChannelFolder: ({ olga }) => ({ by: olga, name: freshName() }),
  updateChannelFolder: async (world) => ({ by: world.olga, path: await newFolder(world), description: freshName() }),
  reorderChannelFolders: async ({ olga }) => {
    const { channel_folders } = await olga.does(operations.getChannelFolders, { include_archived: true })
    return { by: olga, order: channel_folders.map(({ id }) => id) }
  },
  addDefaultChannel: ({ olga, stream_id }) => ({ by: olga, stream_id }),
  removeDefaultChannel: ({ olga, stream_id }) => ({ by: olga, stream_id }),
  createDefaultChannelGroup: ({ olga }) => ({ by: olga, group_name: freshName(), description: '', stream_names: [] }),
  updateDefaultChannelGroup: async (world) => ({
    by: world.olga,
    path: await newDefaultGroup(world),
    new_description: freshName(),
  }),
  updateDefaultChannelGroupChannels: async (world) => ({
    by: world.olga,
    path: await newDefaultGroup(world),
    op: 'add',
    stream_names: [await newPublicChannel(world)],
  }),
  deleteDefaultChannelGroup: async (world) => ({ by: world.olga, path: await newDefaultGroup(world) }),
  updateSubscriptions: () => ({ add: [{ name: 'padua' }] }),
  updateSubscriptionProperties: ({ stream_id }) => ({
    subscription_data: [{ stream_id, property: 'pin_to_top', value: true }],
  }),
  updateSubscription: () => ({ property: 'pin_to_top', value: true }),
  addLinkifier: ({ olga }) => ({ by: olga, ...linkifier() }),
  updateLinkifier: async (world) => ({ by: world.olga, path: await newLinkifier(world), ...linkifier() }),
  removeLinkifier: async (world) => ({ by: world.olga, path: await newLinkifier(world) }),
  reorderLinkifiers: async ({ olga }) => {
    const { linkifiers } = await olga.does(operations.getLinkifiers)
    return { by: olga, ordered_linkifier_ids: linkifiers.map(({ id }) => id) }
  },
  addPlayground: ({ olga }) => ({ by: olga, ...playground() }),
  removePlayground: async ({ olga }) => {
    const { id } = await olga.does(operations.addPlayground, playground())
    return { by: olga, path: { playground_id: id } }
  },
  createProfileField: ({ olga }) => ({ by: olga, field_type: 1, name: freshName() }),
  updateProfileField: async (world) => ({ by: world.olga, path: await newField(world), hint: 'new' }),
  deleteProfileField: async (world) => ({ by: world.olga, path: await newField(world) }),
  reorderProfileFields: async ({ olga }) => {
    const { custom_fields } = await olga.does(operations.getProfileFields)
    return { by: olga, order: custom_fields.map(({ id }) => id) }
  },
  updateProfileData: async (world) => ({ data: [{ id: (await newField(world)).field_id, value: 'x' }] }),
  removeProfileData: async (world) => ({ data: [(await newField(world)).field_id] }),
  updateUser: ({ olga }) => ({ by: olga, full_name: freshName() }),
  updateUserByEmail: ({ olga }) => ({ by: olga, full_name: freshName() }),
  deactivateUser: async ({ olga, add }) => ({ by: olga, path: { user_id: (await add(freshName())).id } }),
  deactivateEmoji: async (world) => ({ path: await newEmoji(world) }),
  getFileUrl: async (world) => ({ path: await newFile(world) }),
  deleteAttachment: async (world) => ({ path: await newAttachment(world) }),
  exportRealm: ({ adam }) => ({ by: adam }),
  getAuditLog: ({ olga }) => ({ by: olga }),
  countExpiredMessages: ({ olga }) => ({ by: olga, message_retention_days: 30 }),
  getExports: ({ adam }) => ({ by: adam }),
  getExportConsents: ({ adam }) => ({ by: adam }),
  deleteExport: async (world) => ({ by: world.adam, path: await newExport(world) }),
  deleteAvatar: () => ({}),
  getFailedJobs: ({ adam }) => ({ by: adam }),
  retryFailedJob: async (world) => ({ by: world.adam, path: { job_id: await newFailedJob(world) } }),
  removeFailedJob: async (world) => ({ by: world.adam, path: { job_id: await newFailedJob(world) } }),
  deactivateOwnUser: async ({ add }) => ({ by: await add(freshName()) }),
  createUser: async (world) => ({ by: await userMaker(world), ...newcomer() }),
  getOwnServer: ({ olga }) => ({ by: olga }),
  updateOwnServer: ({ olga }) => ({ by: olga }),
  getUserSessions: async ({ olga, add }) => ({ by: olga, path: { user_id: (await add(freshName())).id } }),
  endUserSession: sessionOfOther,
  createAccount: ({ olga }) => ({ by: olga, ...newcomer() }),
  suspendUser: async ({ olga, add }) => ({
    by: olga,
    path: { user_id: (await add(freshName())).id },
    until: Math.floor(Date.now() / 1000) + 3600,
  }),
  getSuspensions: ({ olga }) => ({ by: olga }),
  reactivateUser: ({ olga }) => ({ by: olga }),
  sendPasswordReset: ({ olga, ben }) => ({ by: olga, path: { user_id: ben.id } }),
  revokeUserKeys: async ({ olga, add }) => ({ by: olga, path: { user_id: (await add(freshName())).id } }),
  getEmailChange: () => ({}),
  resendEmailChange: emailChanger,
  cancelEmailChange: emailChanger,
  endOtherSessions: async ({ add }) => ({ by: await add(freshName()) }),
  resetSecondFactors: async (world) => {
    const user = await world.add(freshName())
    await addAuthenticator(world, user)
    return { by: world.olga, path: { user_id: user.id } }
  },
  endSession: async (world) => ({ path: { session_id: await newSession(world) } }),
  createToken: () => ({ name: 'my laptop' }),
  revokeToken: async ({ ann }) => ({
    path: { token_id: (await ann.does(operations.createToken, { name: freshName() })).id },
  }),
  regenerateApiKey: async ({ add }) => ({ by: await add(freshName()) }),
  updateSettings: () => ({ enter_sends: true }),
  updateSettingsDefaults: ({ olga }) => ({ by: olga, enter_sends: true }),
  muteUser: async ({ add }) => ({ path: { muted_user_id: (await add(freshName())).id } }),
  unmuteUser: async (world) => ({ path: await muted(world) }),
  addAlertWords: () => ({ alert_words: [freshName()] }),
  removeAlertWords: () => ({ alert_words: [freshName()] }),
  updateStatus: () => ({ status_text: freshName() }),
  getUserPresence: async ({ ben }) => {
    await ben.does(operations.updatePresence, { status: 'active' })
    return { path: { user_id_or_email: ben.id } }
  },
  addApnsToken: () => ({ token: 'abcd', appid: 'org.parley' }),
  removeApnsToken: async ({ ann }) => {
    await ann.does(operations.addApnsToken, { token: 'abcd', appid: 'org.parley' })
    return { token: 'abcd' }
  },
  createBigBlueButtonCall: () => ({ meeting_name: 'Lunch' }),
  addWebPush: () => browserOf('new'),
  removeWebPush: registeredBrowser,
  testWebPush: registeredBrowser,
  getMessageNotifications: ({ message_id }) => ({ path: { message_id } }),
  getNotificationPauses: ({ ann }) => ({ user_ids: [ann.id] }),
  sendTestEmail: () => ({}),
  retryEmail: () => ({}),
  getDeadEmails: ({ adam }) => ({ by: adam }),
  getNotificationHealth: ({ ann }) => ({ path: { user_id: ann.id } }),
  addFcmToken: () => ({ token: 'abcd' }),
  removeFcmToken: async ({ ann }) => {
    await ann.does(operations.addFcmToken, { token: 'abcd' })
    return { token: 'abcd' }
  },
  sendInvitations: () => ({ invitee_emails: `${freshName()}@example.com` }),
  createInvitationLink: ({ olga }) => ({ by: olga }),
  revokeInvitation: async (world) => ({ path: await newInvitation(world) }),
  revokeInvitationLink: async (world) => ({ by: world.olga, path: await newInvitationLink(world) }),
  resendInvitation: async (world) => ({ path: await newInvitation(world) }),
  addDomain: ({ olga }) => ({ by: olga, domain: `${freshName()}.example`, allow_subdomains: false }),
  updateDomain: async (world) => ({ by: world.olga, path: await newDomain(world), allow_subdomains: true }),
  removeDomain: async (world) => ({ by: world.olga, path: await newDomain(world) }),
}

async function reactedMessage({ ann, ben }: PopulatedWorld): Promise<number> {
  const message_id = await ann.sends({ to: [ben] })
  await ann.does(operations.addReaction, { path: { message_id }, emoji_name: 'tada' })
  return message_id
}

async function newInvitation({ ann }: PopulatedWorld): Promise<{ invite_id: number }> {
  await ann.does(operations.sendInvitations, { invitee_emails: `${freshName()}@example.com` })
  const { invites } = await ann.does(operations.getInvitations)
  return { invite_id: invites.findLast(({ is_multiuse }) => !is_multiuse)!.id }
}

async function newInvitationLink({ olga }: PopulatedWorld): Promise<{ invite_id: number }> {
  await olga.does(operations.createInvitationLink, {})
  const { invites } = await olga.does(operations.getInvitations)
  return { invite_id: invites.findLast(({ is_multiuse }) => is_multiuse)!.id }
}

const newestMessages = { anchor: 'newest', num_before: 5, num_after: 0 }

const draft = { type: '' as const, to: [], topic: '', content: 'to be' }

async function newDraft({ ann }: PopulatedWorld): Promise<number> {
  return (await ann.does(operations.createDrafts, { drafts: [draft] })).ids[0]!
}

async function sessionOfOther(world: PopulatedWorld): Promise<Values> {
  return { by: world.olga, path: { user_id: world.ann.id, session_id: await newSession(world) } }
}

function newSession({ ctx, realmId, ann }: PopulatedWorld): Promise<number> {
  const session = {
    kind: 'session',
    secretHash: randomBytes(32),
    userAgent: '',
    ipAddress: '',
    idleSeconds: 60,
  } as const
  return transactIn(ctx, realmId, (tx) => addCredential(tx, { ...session, userId: ann.id, expiresAt: null }))
}

function planned({ stream_id }: PopulatedWorld) {
  const scheduled_delivery_timestamp = Math.floor(Date.now() / 1000) + 3600
  return { type: 'stream' as const, to: stream_id, topic: 'later', content: 'hi', scheduled_delivery_timestamp }
}

async function newPlan(world: PopulatedWorld): Promise<{ scheduled_message_id: number }> {
  const { scheduled_message_id } = await world.ann.does(operations.scheduleMessage, planned(world))
  return { scheduled_message_id }
}

const later = () => ({ scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 3600 })

async function newPin({ ann, stream_id }: PopulatedWorld): Promise<{ stream_id: number; pin_id: number }> {
  const pin = { path: { stream_id }, url: 'https://example.com', title: 'Build status' }
  const { id } = await ann.does(operations.createChannelPin, pin)
  return { stream_id, pin_id: id }
}

const extra_data = { rows: [[{ type: 'button', id: 'yes', label: 'Yes' }]] }

/** A slash command, whose bot answers. */
async function newCommand({ ann, ctx }: PopulatedWorld): Promise<string> {
  ctx.config.internalWebhooks = ['127.0.0.1']
  const { url } = await newReceiver()
  const name = `c${freshName()
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '-')}`
  const params = { full_name: freshName(), short_name: freshName(), bot_type: 3, payload_url: url }
  const { user_id: bot_id } = await ann.does(operations.createBot, params as { bot_type: 3 })
  await ann.does(operations.updateBot, { path: { bot_id }, commands: [{ name, description: '' }] } as never)
  return name
}

async function newReminder({ ann, ben }: PopulatedWorld): Promise<{ reminder_id: number }> {
  const message_id = await ann.sends({ to: [ben] })
  const { reminder_id } = await ann.does(operations.createReminder, { message_id, ...later() })
  return { reminder_id }
}

/** Also opens a channel for reports. */
async function reportable({ olga, ann, ben }: PopulatedWorld): Promise<{ message_id: number }> {
  const channel = await inChannel(freshName(), [olga], { invite_only: true })
  await olga.does(operations.updateRealm, { moderation_request_channel_id: channel })
  return { message_id: await ann.sends({ to: [ben] }) }
}

async function newFile({ app, ann }: PopulatedWorld): Promise<{ realm_id_str: string; filename: string }> {
  const { url } = await uploads(app, ann, operations.uploadFile, {}, { content: 'x' })
  const [, , realm_id_str, ...rest] = String(url).split('/')
  return { realm_id_str: realm_id_str!, filename: rest.join('/') }
}

async function newAttachment(world: PopulatedWorld): Promise<{ attachment_id: number }> {
  await newFile(world)
  const { attachments } = await world.ann.does(operations.getAttachments)
  return { attachment_id: attachments.at(-1)!.id }
}

async function newEmoji({ ctx, realmId, ann }: PopulatedWorld): Promise<{ emoji_name: string }> {
  const emoji = { name: freshName(), author_id: ann.id, file_name: 'none.png' }
  await ctx.db
    .insertInto('realm_emoji')
    .values({ realm_id: realmId, ...emoji })
    .execute()
  return { emoji_name: emoji.name }
}

/** Backdated, so that it does not count against the weekly limit. */
async function newExport({ ctx, realmId, adam }: PopulatedWorld): Promise<{ export_id: number }> {
  const longAgo = new Date(2020, 0)
  const ended = { requested_at: longAgo, succeeded_at: longAgo, path: `exports/${realmId}/${freshName()}.tar.gz` }
  const { id } = await ctx.db
    .insertInto('realm_exports')
    .values({ realm_id: realmId, acting_user_id: adam.id, export_type: 1, base_url: 'http://x', ...ended })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { export_id: id }
}

/** A failed job. */
export async function newFailedJob({ ctx, realmId }: Pick<World, 'ctx' | 'realmId'>): Promise<number> {
  const { rows } = await ctx.pool.query<{ id: number }>(
    `select id from jobs.add_job('delete_file', json_build_object('realm_id', $1::bigint, 'path', 'none'))`,
    [realmId],
  )
  await ctx.pool.query(`update jobs.jobs set attempts = max_attempts, last_error = 'no such luck' where id = $1`, [
    rows[0]!.id,
  ])
  return rows[0]!.id
}

let names = 0
const freshName = () => `name${++names}`

async function newGroup({ ann }: PopulatedWorld): Promise<{ user_group_id: number }> {
  const params = { name: freshName(), description: '', members: [ann.id] }
  return { user_group_id: (await ann.does(operations.createUserGroup, params)).group_id }
}

async function newChannel({ ann }: PopulatedWorld): Promise<{ stream_id: number }> {
  const stream = freshName()
  await ann.does(operations.subscribe, { subscriptions: [{ name: stream }] })
  return ann.does(operations.getChannelId, { stream })
}

async function newDefaultGroup({ olga }: PopulatedWorld): Promise<{ group_id: number }> {
  const group_name = freshName()
  await olga.does(operations.createDefaultChannelGroup, { group_name, description: '', stream_names: [] })
  const { realm_default_stream_groups: groups } = await olga.does(operations.register, {
    fetch_event_types: ['default_stream_groups'],
  })
  return { group_id: groups!.find(({ name }) => name === group_name)!.id }
}

async function newPublicChannel({ olga }: PopulatedWorld): Promise<string> {
  const name = freshName()
  await olga.does(operations.subscribe, { subscriptions: [{ name }] })
  return name
}

async function newFolder({ olga }: PopulatedWorld): Promise<{ channel_folder_id: number }> {
  return olga.does(operations.createChannelFolder, { name: freshName() })
}

const linkifier = () => ({ pattern: `${freshName()}-(?P<n>[0-9]+)`, url_template: 'https://t.example/{n}' })

async function newLinkifier({ olga }: PopulatedWorld): Promise<{ filter_id: number }> {
  return { filter_id: (await olga.does(operations.addLinkifier, linkifier())).id }
}

const playground = () => ({
  name: freshName(),
  pygments_language: 'Rust',
  url_template: 'https://play.example/?code={code}',
})

async function newField({ olga }: PopulatedWorld): Promise<{ field_id: number }> {
  return { field_id: (await olga.does(operations.createProfileField, { field_type: 1, name: freshName() })).id }
}

async function muted({ ann, add }: PopulatedWorld): Promise<{ muted_user_id: number }> {
  const path = { muted_user_id: (await add(freshName())).id }
  await ann.does(operations.muteUser, { path })
  return path
}

/** A user who has requested another email. */
async function emailChanger({ add }: PopulatedWorld): Promise<{ by: Actor }> {
  const by = await add(freshName())
  await by.does(operations.updateSettings, { email: `${freshName()}@example.com` })
  return { by }
}

async function newDomain({ olga }: PopulatedWorld): Promise<{ domain: string }> {
  const domain = `${freshName()}.example`
  await olga.does(operations.addDomain, { domain, allow_subdomains: false })
  return { domain }
}

const newcomer = () => ({ email: `${freshName()}@x.example`, password: 'correct horse', full_name: freshName() })

/** The operator lets Olga create accounts. */
async function userMaker({ olga, ctx, realmId }: PopulatedWorld): Promise<Actor> {
  await ctx.db.updateTable('users').set({ can_create_users: true }).where('id', '=', olga.id).execute()
  ctx.realms.drop(realmId)
  return olga
}

async function newHook({ add, stream_id }: PopulatedWorld): Promise<{ by: Actor; path: { hook_id: number } }> {
  const by = await add(freshName())
  const params = { integration: 'json', name: freshName(), channel_id: stream_id }
  return { by, path: { hook_id: (await by.does(operations.createHook, params)).id } }
}

async function newHookRequest(world: PopulatedWorld) {
  const { by, path } = await newHook(world)
  await by.does(operations.testHook, { path })
  const { requests } = await by.does(operations.getHookRequests, { path })
  return { by, path: { ...path, request_id: requests[0]!.id } }
}

async function newBot({ ann }: PopulatedWorld): Promise<{ bot_id: number }> {
  const params = { full_name: freshName(), short_name: freshName(), bot_type: 3, payload_url: 'https://example.com' }
  return { bot_id: (await ann.does(operations.createBot, params as { bot_type: 3 })).user_id }
}

/** Sent by Ann, with a link that may have a preview. */
async function linking({ olga, ann, ben }: PopulatedWorld): Promise<number> {
  await olga.does(operations.updateRealm, { inline_url_embed_preview: true, preview_private_conversations: true })
  return ann.sends({ to: [ben], content: 'https://example.invalid/' })
}

function botActor({ add, ann }: PopulatedWorld): Promise<Actor> {
  return add(freshName(), undefined, { bot_type: 1, bot_owner_id: ann.id })
}

/** A delivered one. */
async function newDelivery(world: PopulatedWorld): Promise<Values> {
  const { bot_id } = await newBot(world)
  const { id } = await world.ctx.db
    .insertInto('webhook_deliveries')
    .values({ realm_id: world.realmId, bot_id, message_id: world.message_id, trigger: 'mention', status: 'delivered' })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { path: { bot_id, delivery_id: id } }
}

async function newSnippet({ ann }: PopulatedWorld): Promise<number> {
  return (await ann.does(operations.createSavedSnippet, { title: 'a', content: 'b' })).saved_snippet_id
}

/** Operations that a production server refuses, that need a password, or that take a file and are tested separately. */
const takingFiles = operationList
  .filter(({ fileLimit, fileIsOptional }) => fileLimit !== undefined && !fileIsOptional)
  .map(({ name }) => name)
const onlyRefused = new Set([
  ...takingFiles,
  'devFetchApiKey',
  'devListUsers',
  'fetchApiKey',
  'jwtFetchApiKey',
  'createSession',
  'endCurrentSession',
  'deactivateRealm',
  'sendTestNotification',
])

/** Operations that need a recipe and have none. */
export function withoutRecipe(): string[] {
  return operationList.filter((operation) => needsRecipe(operation) && !recipes[operation.name]).map(({ name }) => name)
}

function needsRecipe({ name, access, method, pathParams, params }: Operation): boolean {
  if (onlyRefused.has(name)) return false
  if (access === 'admin' || access === 'owner' || Object.keys(pathParams).some((part) => !knownParts.has(part)))
    return true
  return method !== 'GET' && name !== 'register' ? true : Object.values(params).some((one) => isRequired(one as Values))
}

export const isRequired = (schema: Values) => !('default' in schema) && schema['~optional'] !== true

const knownParts = new Set(['user_id', 'email', 'message_id', 'stream_id'])

/** The operations that can be called successfully with the recipes. */
export function callable(): Operation[] {
  return operationList.filter(
    (operation) => !onlyRefused.has(operation.name) && (recipes[operation.name] || !needsRecipe(operation)),
  )
}

export async function sampleOf(operation: Operation, world: PopulatedWorld): Promise<Sample> {
  const recipe = recipes[operation.name]
  assert.ok(recipe || !needsRecipe(operation), `add ${operation.name} to testing/samples.ts: a call that succeeds`)
  const { ann, ben, message_id, stream_id } = world
  const parts: Values = { user_id: ben.id, email: ben.credentials.email, message_id, stream_id }
  const usual = Object.fromEntries(Object.keys(operation.pathParams).map((name) => [name, parts[name]]))
  const { path = usual, by = ann, ...params } = (await recipe?.(world)) ?? {}
  return { operation, by: by as Actor, path: path as Values, params }
}

/** A new queue, for the calls that need one. */
export async function queueOf(actor: Actor): Promise<string> {
  return (await actor.does(queues.register, { event_types: ['message'] })).queue_id
}

/** The request of a sample in the encoding of such a client. A GET has no body. */
export function requestFor({ operation, path, params }: Sample, encoding: Encoding) {
  const url = `/api/v1${operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(path[name])))}`
  const { method } = operation
  if (encoding === 'query' || method === 'GET') return { method, url: `${url}?${encode(params)}`, headers: {} }
  return { method, url, ...bodyFor(params, encoding) }
}

function bodyFor(params: Record<string, unknown>, encoding: Exclude<Encoding, 'query'>) {
  switch (encoding) {
    case 'form':
      return { headers: { 'content-type': 'application/x-www-form-urlencoded' }, payload: encode(params) }
    case 'json':
      return { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(params) }
    case 'multipart':
      return {
        headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
        payload: multipart([...new URLSearchParams(encode(params))]),
      }
  }
}

export function multipart(fields: [string, string][]): string {
  const parts = fields.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return `${parts.join('')}--${boundary}--\r\n`
}
