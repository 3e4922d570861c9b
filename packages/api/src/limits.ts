/** Storage limits. Each is far above normal use; docs/api.md lists them. */
export const storageLimits = {
  drafts: 1000,
  savedSnippets: 1000,
  scheduledMessages: 1000,
  alertWords: 1000,
  pushTokens: 100,
  tokens: 100,
  activeBots: 100,
  /** Including deactivated ones. */
  bots: 1000,
  /** Different emoji; any number of users can add the same one. */
  emojiPerMessage: 100,
  submessagesPerUserAndMessage: 500,
  submessagesPerMessage: 5000,
} as const

/** Maximum number of items of lists in requests. */
export const listLimits = {
  usual: 1000,
  groupMembers: 10_000,
  eventTypes: 200,
  profileValues: 200,
  narrowTerms: 50,
  configEntries: 100,
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
