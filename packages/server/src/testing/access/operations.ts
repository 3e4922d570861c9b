import type { Operation } from '@parley/api/operation'
import { type Operations, operationList } from '@parley/api/operations'
import { sampleOf } from '../samples.ts'
import type { Stage } from './callers.ts'
import { requests } from './own-requests.ts'
import type { Refusals } from './refusals.ts'
import type { Row } from './row.ts'

/**
 * Every operation, called by everybody with the request with which Ann (or who else may) succeeds: see samples.ts.
 * The columns, from callers.ts:
 *
 *   AN FK DE XR   GU LG   OU IN EX LA   MO AD OW   BG BO BE   BI
 */
const outcomes: Record<keyof Operations, string> = {
  getServerSettings: '✓✓✓a ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ ✓',
  fetchApiKey: 'BBBB BB BBBB BBB BBB B',
  devFetchApiKey: 'BBBB BB BBBB BBB BBB B',
  devListUsers: 'BBBB BB BBBB BBB BBB B',
  createSession: 'BBBB BB BBBB BBB BBB B',
  getSessions: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ TTT W',
  endSession: '1KDX XX XXXX XXX TTT W',
  endOtherSessions: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ TTT W',
  endCurrentSession: '1KDB BB BBBB BBB TTT W',
  createToken: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ TTT W',
  getTokens: '1KDa ✓✓ ✓✓✓✓ ✓✓✓ TTT W',
  revokeToken: '1KDX XX XXXX XXX TTT W',
  register: '1KDs ss ssss sss sss W',
  getEvents: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  deleteQueue: '1KDX XX XXXX XXX XXX W',
  sendMessage: '1KDX ✓X ✓✓✓✓ ✓✓✓ ✓✓✓ ✓',
  getMessages: '1KDs ss ssss sss sss W',
  getConversations: '1KDs ss ssss sss sss W',
  getMessage: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  editMessage: '1KDX XX XXXX XXX XXX W',
  getMessageHistory: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  renderMessage: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  deleteMessage: '1KDX XX XXXX XXX XXX W',
  deleteTopic: '1KDX UU UUUU U✓✓ UUU W',
  addReaction: '1KDX XX XXXX XXX XXX W',
  removeReaction: '1KDX XX XXXX XXX XXX W',
  matchNarrow: '1KDx xx xxxx xxx xxx W',
  updateMessageFlags: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  updateFlagsInNarrow: '1KDs ss ssss sss sss W',
  markAllAsRead: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  markChannelAsRead: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  markTopicAsRead: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  getReadReceipts: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  setTopicPolicy: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  muteTopic: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  getSavedSnippets: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  createSavedSnippet: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  editSavedSnippet: '1KDX XX XXXX XXX XXX W',
  deleteSavedSnippet: '1KDX XX XXXX XXX XXX W',
  getDrafts: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  createDrafts: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  editDraft: '1KDX XX XXXX XXX XXX W',
  deleteDraft: '1KDX XX XXXX XXX XXX W',
  getScheduledMessages: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  scheduleMessage: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  editScheduledMessage: '1KDX XX XXXX XXX XXX W',
  deleteScheduledMessage: '1KDX XX XXXX XXX XXX W',
  addSubmessage: '1KDX XX XXXX XXX XXX W',
  setEditTypingStatus: '1KDX XX XXXX XXX XXX W',
  setTypingStatus: '1KDX ✓X ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  getUsers: '1KDb ✓a ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  getOwnUser: '1KDs ss ssss sss sss W',
  getUser: '1KDX ✓X ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  getUserByEmail: '1KDX ✓X ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  uploadAvatar: '1KDa ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  deleteAvatar: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  updateUser: '1KDX UU UUUU U✓✓ UUU W',
  updateUserByEmail: '1KDX UU UUUU U✓✓ UUU W',
  createUser: '1KDB UU UUUU UB✓ UUU W',
  createAccount: '1KD✓ OO OOOO OO✓ OOO W',
  deactivateUser: '1KDX UU UUUU U✓✓ UUU W',
  reactivateUser: '1KDX UU UUUU U✓✓ UUU W',
  revokeUserKeys: '1KDX UU UUUU U✓✓ UUU W',
  sendPasswordReset: '1KDX UU UUUU U✓✓ UUU W',
  resetSecondFactors: '1KDX UU UUUU U✓✓ UUU W',
  deactivateOwnUser: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ TTT W',
  regenerateApiKey: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  updateSettings: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ TTT W',
  updateSettingsDefaults: '1KD✓ UU UUUU U✓✓ UUU W',
  muteUser: '1KDX ✓X ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  unmuteUser: '1KDX XX XXXX XXX XXX W',
  getAlertWords: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  addAlertWords: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  removeAlertWords: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  updateStatus: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ TTT W',
  getStatus: '1KDX ✓X ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  getUserPresence: '1KDX ✓X ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  addApnsToken: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ TTT W',
  removeApnsToken: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ TTT W',
  addFcmToken: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ TTT W',
  removeFcmToken: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ TTT W',
  getAuditLog: '1KDs OO OOOO OOs OOO W',
  getSecondFactors: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ TTT W',
  getSignIns: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ TTT W',
  getWebPush: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ TTT W',
  addWebPush: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ TTT W',
  removeWebPush: '1KDB BB BBBB BBB TTT W',
  testWebPush: '1KDB BB BBBB BBB TTT W',
  sendTestNotification: '1KDB BB BBBB BBB TTT W',
  createBigBlueButtonCall: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  getInvitations: '1KDs GG ssss sss TTT W',
  sendInvitations: '1KDa GG ✓✓✓✓ ✓✓✓ TTT W',
  createInvitationLink: '1KDa GG PPPP P✓✓ TTT W',
  revokeInvitation: '1KDX GG XXXX X✓✓ TTT W',
  revokeInvitationLink: '1KDX GG XXXX X✓✓ TTT W',
  resendInvitation: '1KDX GG XXXX X✓✓ TTT W',
  getDomains: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  addDomain: '1KD✓ OO OOOO OO✓ OOO W',
  updateDomain: '1KDX OO OOOO OO✓ OOO W',
  removeDomain: '1KDX OO OOOO OO✓ OOO W',
  getBots: '1KD✓ GG ✓✓✓✓ ✓✓✓ TTT W',
  createBot: '1KD✓ GG ✓✓✓✓ ✓✓✓ TTT W',
  updateBot: '1KDX GG PPPP P✓✓ TTT W',
  deactivateBot: '1KDX GG PPPP P✓✓ TTT W',
  getBotApiKey: '1KDX GG PPPP P✓✓ TTT W',
  regenerateBotApiKey: '1KDX GG PPPP P✓✓ TTT W',
  getWebhookPayload: '1KDs ss ssss sss sss W',
  getDeliveries: '1KDX GG PPPP P✓✓ TTT W',
  replayDelivery: '1KDX GG PPPP P✓✓ TTT W',
  getWebhookSecret: '1KDX GG PPPP P✓✓ TTT W',
  getBotStorage: '1KDB BB BBBB BBB ✓✓✓ W',
  updateBotStorage: '1KDB BB BBBB BBB ✓✓✓ W',
  deleteBotStorage: '1KDB BB BBBB BBB ✓✓✓ W',
  updatePresence: '1KDs ss ssss sss TTT W',
  getRealmPresence: '1KDb ✓a ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  getChannels: '1KDc ✓✓ abab aaa aaa W',
  getChannel: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  getChannelId: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  getChannelMembers: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  getTopics: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  getSubscriptions: '1KDc ✓✓ ✓a✓b ✓✓✓ ✓✓✓ W',
  subscribe: '1KDa GG ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  unsubscribe: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  getSubscriptionStatus: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  updateChannel: '1KDX XX BBBB B✓✓ BBB W',
  archiveChannel: '1KDX XX BBBB B✓✓ BBB W',
  getChannelEmail: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  getChannelFolders: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  createChannelFolder: '1KD✓ UU UUUU U✓✓ UUU W',
  reorderChannelFolders: '1KDX UU UUUU U✓✓ UUU W',
  updateChannelFolder: '1KDX UU UUUU U✓✓ UUU W',
  addDefaultChannel: '1KDX UU UUUU U✓✓ UUU W',
  removeDefaultChannel: '1KDX UU UUUU U✓✓ UUU W',
  updateSubscriptions: '1KDa GG ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  updateSubscriptionProperties: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  updateSubscription: '1KDX XX ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  getLinkifiers: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  addLinkifier: '1KD✓ UU UUUU U✓✓ UUU W',
  updateLinkifier: '1KDX UU UUUU U✓✓ UUU W',
  removeLinkifier: '1KDX UU UUUU U✓✓ UUU W',
  reorderLinkifiers: '1KDX UU UUUU U✓✓ UUU W',
  addPlayground: '1KD✓ UU UUUU U✓✓ UUU W',
  removePlayground: '1KDX UU UUUU U✓✓ UUU W',
  getProfileFields: '1KD✓ ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  createProfileField: '1KD✓ UU UUUU U✓✓ UUU W',
  reorderProfileFields: '1KDX UU UUUU U✓✓ UUU W',
  updateProfileField: '1KDX UU UUUU U✓✓ UUU W',
  deleteProfileField: '1KDX UU UUUU U✓✓ UUU W',
  updateProfileData: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ TTT W',
  removeProfileData: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ TTT W',
  uploadRealmIcon: '1KDa UU UUUU U✓✓ UUU W',
  deleteRealmIcon: '1KD✓ UU UUUU U✓✓ UUU W',
  uploadRealmLogo: '1KD✓ UU UUUU U✓✓ UUU W',
  deleteRealmLogo: '1KD✓ UU UUUU U✓✓ UUU W',
  deactivateRealm: '1KDB OO OOOO OOB OOO W',
  updateRealm: '1KD✓ UU UUUU U✓✓ UUU W',
  uploadEmoji: '1KD✓ GG ✓✓✓✓ ✓✓✓ TTT W',
  getEmoji: '1KDb ✓a ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  deactivateEmoji: '1KDX BB BBBB B✓✓ BBB W',
  uploadFile: '1KDa ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  getFileUrl: '1KDX XX XXXX XXX XXX W',
  getAttachments: '1KDs ss ssss sss sss W',
  deleteAttachment: '1KDX XX XXXX XXX XXX W',
  exportRealm: '1KD✓ UU UUUU U✓✓ UUU W',
  getExports: '1KDa UU UUUU U✓✓ UUU W',
  deleteExport: '1KDX UU UUUU U✓✓ UUU W',
  getExportConsents: '1KDa UU UUUU U✓✓ UUU W',
  getFailedJobs: '1KD✓ UU UUUU U✓✓ UUU W',
  retryFailedJob: '1KDX UU UUUU U✓✓ UUU W',
  removeFailedJob: '1KDX UU UUUU U✓✓ UUU W',
  createUserGroup: '1KD✓ GG ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  getUserGroups: '1KDb ✓a ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  updateUserGroup: '1KDX PP PPPP PP✓ PPP W',
  deactivateUserGroup: '1KDX PP PPPP PP✓ PPP W',
  updateUserGroupMembers: '1KDX PP PPPP PP✓ PPP W',
  getUserGroupMembers: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  getUserGroupMembership: '1KDX ✓X ✓✓✓✓ ✓✓✓ ✓✓✓ W',
  updateSubgroups: '1KDX PP PPPP PP✓ PPP W',
  getSubgroups: '1KDX ✓✓ ✓✓✓✓ ✓✓✓ ✓✓✓ W',
}

const administer = 'You do not have permission to administer this channel.'
const onlyDemo = 'Only the demo server signs in without a password.'
const noBrowser = 'This browser is not registered.'
const onlyBots = { msg: 'Only bots have a storage.', code: 'PERMISSION_DENIED' }

/** What `B` stands for in the table. */
const refusals: Partial<Record<keyof Operations, string | Record<string, string>>> = {
  fetchApiKey: { msg: 'Your username or password is incorrect', code: 'AUTHENTICATION_FAILED' },
  createSession: { msg: 'Your username or password is incorrect', code: 'AUTHENTICATION_FAILED' },
  endCurrentSession: 'This request does not use a session.',
  devFetchApiKey: onlyDemo,
  sendTestNotification: { msg: 'Device not recognized', code: 'INVALID_PUSH_DEVICE_TOKEN' },
  removeWebPush: noBrowser,
  testWebPush: noBrowser,
  devListUsers: onlyDemo,
  deactivateRealm: 'Parley deletes no organization by itself: leave deletion_delay_days out.',
  createUser: 'User not authorized to create users',
  getBotStorage: onlyBots,
  updateBotStorage: onlyBots,
  deleteBotStorage: onlyBots,
  updateChannel: administer,
  archiveChannel: administer,
  deactivateEmoji: 'Must be an organization administrator or emoji author',
}

/** The hidden object, where a request names more than one. */
const hides: Partial<Record<keyof Operations, string>> = {
  getSubscriptionStatus: 'stream_id',
  getUserGroupMembership: 'user_id',
}

const endsCaller = ['regenerateApiKey', 'deactivateOwnUser', 'endOtherSessions']

/** The order of the table: lists are read before other rows add to them. Operations without outcomes come last and fail. */
const place = new Map(Object.keys(outcomes).map((name, index) => [name, index]))
const inOrder = operationList.toSorted((a, b) => (place.get(a.name) ?? Infinity) - (place.get(b.name) ?? Infinity))

/** One row for every declared operation; an operation without outcomes fails. */
export const operationRows: Row[] = inOrder.map((operation) => {
  const name = operation.name as keyof Operations
  const refusal = refusals[name]
  return {
    does: operation.name,
    operation,
    request: requests[operation.name] ?? sampleRequest(operation),
    outcomes: outcomes[name] ?? '',
    hides: hides[name],
    spendsCaller: endsCaller.includes(name),
    refusals: refusal === undefined ? undefined : ({ B: refusal } as Refusals),
  }
})

function sampleRequest(operation: Operation): Row['request'] {
  return async (stage: Stage) => {
    const { path, params } = await sampleOf(operation, stage)
    return { path, ...params }
  }
}
