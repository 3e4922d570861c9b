/** Maximum number of characters of names and descriptions, by what has them. The server refuses longer ones in its own words. */
export const nameLimits = {
  channel: 60,
  channelDescription: 1024,
  folder: 60,
  folderDescription: 1024,
  defaultGroup: 60,
  defaultGroupDescription: 1024,
  userGroup: 100,
  user: 100,
  organization: 40,
  organizationDescription: 1000,
  profileField: 40,
  profileFieldHint: 80,
  snippet: 60,
  status: 60,
  alertWord: 100,
  token: 100,
} as const

/** Storage limits. Each is far above normal use; docs/api.md lists them. */
export const storageLimits = {
  drafts: 1000,
  savedSnippets: 1000,
  scheduledMessages: 1000,
  reminders: 1000,
  alertWords: 1000,
  /** Topics that the user muted, unmuted or followed by hand. */
  topicPolicies: 10_000,
  pushTokens: 100,
  tokens: 100,
  activeBots: 100,
  /** Including deactivated ones. */
  bots: 1000,
  /** Different emoji; any number of users can add the same one. */
  emojiPerMessage: 100,
  /** Per organization: everybody loads them. */
  defaultChannelGroups: 50,
  channelsPerDefaultChannelGroup: 100,
  submessagesPerUserAndMessage: 500,
  submessagesPerMessage: 5000,
  /** In characters, as every reader of the message loads them. */
  submessageTextPerUserAndMessage: 50_000,
  submessageTextPerMessage: 250_000,
  /** The one that was not used for longest ends when a user signs in once more. */
  sessions: 100,
} as const

/** What everyone in an organization loads. Members and administrators can each create some of it, all together the total. */
export const sharedLimits = {
  userGroups: { perMember: 100, perAdministrator: 1000, total: 10_000 },
  channels: { perMember: 250, perAdministrator: 10_000, total: 50_000 },
  customEmoji: { perMember: 500, perAdministrator: 5000, total: 10_000 },
  linkifiers: { total: 500 },
  playgrounds: { total: 500 },
  domains: { total: 1000 },
  profileFields: { total: 200 },
  channelFolders: { total: 1000 },
  defaultChannels: { total: 500 },
} as const

/** Messages and links that are pinned to one channel. */
export const pinsPerChannel = 50

/** Of incoming hooks. */
export const hookLimits = {
  perBot: 100,
  template: 10_000,
  requestsPerPage: 100,
  previewedPayload: 262_144,
} as const

/** For how many days moderators can restore what was deleted. */
export const restorableDays = 30

/** Maximum number of items of lists in requests. */
export const listLimits = {
  /** Slash commands of one bot. */
  botCommands: 20,
  usual: 1000,
  groupMembers: 10_000,
  /** Of a permission without a named group. */
  permissionMembers: 1000,
  eventTypes: 200,
  profileValues: 200,
  narrowTerms: 50,
  configEntries: 100,
  profileUsers: 100,
  fieldChoices: 500,
  storageEntries: 1000,
} as const

/** Of the settings that concern all organizations of a server. */
export const serverLimits = { requestsPerMinute: 1_000_000 } as const

/** Maximum number of characters of texts in requests. */
export const textLimits = {
  /** As long as a request: what is too long for a message or a topic is truncated, not refused. */
  truncated: 1024 * 1024,
  /** Names and the like. Most have a rule of their own, which is stricter and says so in its own words. */
  short: 1000,
  /** Descriptions, which have rules of their own too. */
  description: 10_000,
  groupDescription: 1024,
  email: 254,
  /** What a sign-in form sends; what is no email of an account gets the error of a wrong password. */
  login: 5000,
  password: 1000,
  keyword: 100,
  reminderNote: 1000,
  /** What a bot says it works on. */
  workNote: 80,
  reportDescription: 1000,
  pinTitle: 60,
  maintenance: 300,
  /** Ids that the server made, such as those of queues. */
  opaqueId: 200,
  url: 2000,
  emoji: 200,
  pushToken: 5000,
  operand: 10_000,
  /** Stored with the queue. */
  queueOperand: 1000,
  /** Long enough for a list of users as JSON text. */
  profileValue: 20_000,
  snippet: 20_000,
  storageKey: 1000,
} as const

export const maxEventTypeLength = 100

/** `Idempotency-Key` headers and the responses that are stored for them, for 24 hours. */
export const idempotencyKeys = {
  maxLength: 200,
  /** In characters. The responses of nearly all writes are far smaller. */
  maxStoredResponse: 100_000,
  /** A job deletes the oldest of users who have more. */
  perUser: 10_000,
} as const
