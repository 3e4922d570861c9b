import * as accounts from './accounts.ts'
import * as alertWords from './alert-words.ts'
import * as avatars from './avatars.ts'
import * as bots from './bots.ts'
import * as channels from './channels.ts'
import * as deletion from './deletion.ts'
import * as domains from './domains.ts'
import * as drafts from './drafts.ts'
import * as editing from './editing.ts'
import * as emoji from './emoji.ts'
import * as dataExport from './export.ts'
import * as flags from './flags.ts'
import * as folders from './folders.ts'
import * as groups from './groups.ts'
import * as invitations from './invitations.ts'
import * as jobs from './jobs.ts'
import * as linkifiers from './linkifiers.ts'
import * as messages from './messages.ts'
import * as muting from './muting.ts'
import type { Operation } from './operation.ts'
import * as ownSettings from './own-settings.ts'
import * as presence from './presence.ts'
import * as profileFields from './profile-fields.ts'
import * as push from './push.ts'
import * as queues from './queues.ts'
import * as reactions from './reactions.ts'
import * as realm from './realm.ts'
import * as rendering from './rendering.ts'
import * as scheduled from './scheduled.ts'
import * as server from './server.ts'
import * as sessions from './sessions.ts'
import * as snippets from './snippets.ts'
import * as status from './status.ts'
import * as subscriptions from './subscriptions.ts'
import * as tokens from './tokens.ts'
import * as topics from './topics.ts'
import * as typing from './typing.ts'
import * as uploads from './uploads.ts'
import * as users from './users.ts'
import * as webhooks from './webhooks.ts'
import * as widgets from './widgets.ts'

/** All operations of the API by name: the source of routes, OpenAPI, docs and the typed client. */
export const operations = {
  getServerSettings: server.getServerSettings,
  fetchApiKey: server.fetchApiKey,
  devFetchApiKey: server.devFetchApiKey,
  devListUsers: server.devListUsers,
  createSession: sessions.createSession,
  getSessions: sessions.getSessions,
  endSession: sessions.endSession,
  endOtherSessions: sessions.endOtherSessions,
  endCurrentSession: sessions.endCurrentSession,
  createToken: tokens.createToken,
  getTokens: tokens.getTokens,
  revokeToken: tokens.revokeToken,
  register: queues.register,
  getEvents: queues.getEvents,
  deleteQueue: queues.deleteQueue,
  sendMessage: messages.sendMessage,
  getMessages: messages.getMessages,
  getMessage: messages.getMessage,
  editMessage: editing.editMessage,
  getMessageHistory: editing.getMessageHistory,
  renderMessage: rendering.renderMessage,
  deleteMessage: deletion.deleteMessage,
  deleteTopic: deletion.deleteTopic,
  addReaction: reactions.addReaction,
  removeReaction: reactions.removeReaction,
  matchNarrow: messages.matchNarrow,
  updateMessageFlags: flags.updateMessageFlags,
  updateFlagsInNarrow: flags.updateFlagsInNarrow,
  markAllAsRead: flags.markAllAsRead,
  markChannelAsRead: flags.markChannelAsRead,
  markTopicAsRead: flags.markTopicAsRead,
  getReadReceipts: flags.getReadReceipts,
  setTopicPolicy: topics.setTopicPolicy,
  muteTopic: topics.muteTopic,
  getSavedSnippets: snippets.getSavedSnippets,
  createSavedSnippet: snippets.createSavedSnippet,
  editSavedSnippet: snippets.editSavedSnippet,
  deleteSavedSnippet: snippets.deleteSavedSnippet,
  getDrafts: drafts.getDrafts,
  createDrafts: drafts.createDrafts,
  editDraft: drafts.editDraft,
  deleteDraft: drafts.deleteDraft,
  getScheduledMessages: scheduled.getScheduledMessages,
  scheduleMessage: scheduled.scheduleMessage,
  editScheduledMessage: scheduled.editScheduledMessage,
  deleteScheduledMessage: scheduled.deleteScheduledMessage,
  addSubmessage: widgets.addSubmessage,
  setEditTypingStatus: typing.setEditTypingStatus,
  setTypingStatus: typing.setTypingStatus,
  getUsers: users.getUsers,
  getOwnUser: users.getOwnUser,
  getUser: users.getUser,
  getUserByEmail: users.getUserByEmail,
  uploadAvatar: avatars.uploadAvatar,
  deleteAvatar: avatars.deleteAvatar,
  updateUser: accounts.updateUser,
  updateUserByEmail: accounts.updateUserByEmail,
  createUser: accounts.createUser,
  deactivateUser: accounts.deactivateUser,
  reactivateUser: accounts.reactivateUser,
  deactivateOwnUser: accounts.deactivateOwnUser,
  revokeUserKeys: accounts.revokeUserKeys,
  regenerateApiKey: accounts.regenerateApiKey,
  updateSettings: ownSettings.updateSettings,
  updateSettingsDefaults: ownSettings.updateSettingsDefaults,
  muteUser: muting.muteUser,
  unmuteUser: muting.unmuteUser,
  getAlertWords: alertWords.getAlertWords,
  addAlertWords: alertWords.addAlertWords,
  removeAlertWords: alertWords.removeAlertWords,
  updateStatus: status.updateStatus,
  getStatus: status.getStatus,
  getUserPresence: presence.getUserPresence,
  addApnsToken: push.addApnsToken,
  removeApnsToken: push.removeApnsToken,
  addFcmToken: push.addFcmToken,
  removeFcmToken: push.removeFcmToken,
  getInvitations: invitations.getInvitations,
  sendInvitations: invitations.sendInvitations,
  createInvitationLink: invitations.createInvitationLink,
  revokeInvitation: invitations.revokeInvitation,
  revokeInvitationLink: invitations.revokeInvitationLink,
  resendInvitation: invitations.resendInvitation,
  getDomains: domains.getDomains,
  addDomain: domains.addDomain,
  updateDomain: domains.updateDomain,
  removeDomain: domains.removeDomain,
  getBots: bots.getBots,
  createBot: bots.createBot,
  updateBot: bots.updateBot,
  deactivateBot: bots.deactivateBot,
  getBotApiKey: bots.getBotApiKey,
  regenerateBotApiKey: bots.regenerateBotApiKey,
  getWebhookPayload: webhooks.getWebhookPayload,
  getDeliveries: webhooks.getDeliveries,
  replayDelivery: webhooks.replayDelivery,
  getWebhookSecret: webhooks.getWebhookSecret,
  getBotStorage: bots.getBotStorage,
  updateBotStorage: bots.updateBotStorage,
  deleteBotStorage: bots.deleteBotStorage,
  updatePresence: presence.updatePresence,
  getRealmPresence: presence.getRealmPresence,
  getChannels: channels.getChannels,
  getChannel: channels.getChannel,
  getChannelId: channels.getChannelId,
  getChannelMembers: channels.getChannelMembers,
  getTopics: channels.getTopics,
  getSubscriptions: subscriptions.getSubscriptions,
  subscribe: subscriptions.subscribe,
  unsubscribe: subscriptions.unsubscribe,
  getSubscriptionStatus: subscriptions.getSubscriptionStatus,
  updateChannel: channels.updateChannel,
  archiveChannel: channels.archiveChannel,
  getChannelEmail: channels.getChannelEmail,
  getChannelFolders: folders.getChannelFolders,
  createChannelFolder: folders.createChannelFolder,
  reorderChannelFolders: folders.reorderChannelFolders,
  updateChannelFolder: folders.updateChannelFolder,
  addDefaultChannel: channels.addDefaultChannel,
  removeDefaultChannel: channels.removeDefaultChannel,
  updateSubscriptions: subscriptions.updateSubscriptions,
  updateSubscriptionProperties: subscriptions.updateSubscriptionProperties,
  updateSubscription: subscriptions.updateSubscription,
  getLinkifiers: linkifiers.getLinkifiers,
  addLinkifier: linkifiers.addLinkifier,
  updateLinkifier: linkifiers.updateLinkifier,
  removeLinkifier: linkifiers.removeLinkifier,
  reorderLinkifiers: linkifiers.reorderLinkifiers,
  addPlayground: linkifiers.addPlayground,
  removePlayground: linkifiers.removePlayground,
  getProfileFields: profileFields.getProfileFields,
  createProfileField: profileFields.createProfileField,
  reorderProfileFields: profileFields.reorderProfileFields,
  updateProfileField: profileFields.updateProfileField,
  deleteProfileField: profileFields.deleteProfileField,
  updateProfileData: profileFields.updateProfileData,
  removeProfileData: profileFields.removeProfileData,
  updateRealm: realm.updateRealm,
  uploadEmoji: emoji.uploadEmoji,
  getEmoji: emoji.getEmoji,
  deactivateEmoji: emoji.deactivateEmoji,
  uploadFile: uploads.uploadFile,
  getFileUrl: uploads.getFileUrl,
  getAttachments: uploads.getAttachments,
  deleteAttachment: uploads.deleteAttachment,
  exportRealm: dataExport.exportRealm,
  getExports: dataExport.getExports,
  deleteExport: dataExport.deleteExport,
  getExportConsents: dataExport.getExportConsents,
  getFailedJobs: jobs.getFailedJobs,
  retryFailedJob: jobs.retryFailedJob,
  removeFailedJob: jobs.removeFailedJob,
  createUserGroup: groups.createUserGroup,
  getUserGroups: groups.getUserGroups,
  updateUserGroup: groups.updateUserGroup,
  deactivateUserGroup: groups.deactivateUserGroup,
  updateUserGroupMembers: groups.updateUserGroupMembers,
  getUserGroupMembers: groups.getUserGroupMembers,
  getUserGroupMembership: groups.getUserGroupMembership,
  updateSubgroups: groups.updateSubgroups,
  getSubgroups: groups.getSubgroups,
}
export type Operations = typeof operations

export const operationList: Operation[] = Object.values(operations) as Operation[]
