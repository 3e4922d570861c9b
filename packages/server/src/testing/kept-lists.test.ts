import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { storageLimits } from '@parley/api/limits'
import { taskNames } from '../boot/background-jobs.ts'

const repository = join(import.meta.dirname, '../../../..')
const read = (path: string) => readFileSync(join(repository, path), 'utf8')

/** What bounds the rows that one user can have, by table: a limit, or the reason why none is needed. */
const bounds: Record<string, keyof typeof storageLimits | `one ${string}` | `ends ${string}` | `grows ${string}`> = {
  AlertWords: 'alertWords',
  Bots: 'one for each bot',
  ChannelPins: 'one of fifty for each channel, which have a shared limit',
  Credentials: 'tokens',
  DeliveredScheduledMessages: 'ends after 30 days',
  DirectParticipants: 'one for each direct conversation, which begins with a message',
  Drafts: 'drafts',
  EmailChanges: 'one for each user',
  EmailNotifications: 'ends when it is sent, or after a day',
  ExternalIdentities: 'one for each identity provider',
  GroupMembers: 'one for each group, which have a shared limit',
  IdempotentRequests: 'ends after 24 hours',
  IncomingEmails: 'ends after a week; its rate is limited',
  MessageFlags: 'one for each message',
  MessageMoves: 'one for each move, which is audited and limited in its rate',
  MutedUsers: 'one for each other user',
  DeadEmails: 'one for each user',
  EmailBounces: 'one for each email of a month that came back',
  NotifiedAnyway: 'one for each sender of the last hour',
  NotificationTrail: 'one for each notification of two weeks',
  Passkeys: 'grows to a limit of its own in passkeys.ts',
  PasswordResets: 'ends after its time',
  Presence: 'one for each user',
  ProfileValues: 'one for each profile field, which have a shared limit',
  ProvisionedUsers: 'one for each user',
  PushTokens: 'pushTokens',
  Queues: 'grows to 100 queues, then the idle one ends',
  Reactions: 'emojiPerMessage',
  RecoveryCodes: 'one for each code of the set that was shown',
  Reminders: 'reminders',
  SavedSnippets: 'savedSnippets',
  ScheduledMessages: 'scheduledMessages',
  SignInPlaces: 'ends after a year without a sign-in there',
  SubscriptionPeriods: 'grows with each time that a user joins a channel, limited in its rate',
  Subscriptions: 'one for each channel, which have a shared limit',
  Suspensions: 'one for each user',
  TotpFactors: 'one for each user',
  UserStatuses: 'one for each user',
  UserTopics: 'topicPolicies',
  WebPushSubscriptions: 'pushTokens',
}

test('every table with rows of users has a storage limit, or a reason why it needs none', () => {
  const tables = read('packages/server/src/platform/db/tables.generated.ts')
  const ofUsers = [...tables.matchAll(/^export interface (\w+) \{([^}]*)\}/gm)]
    .filter(([, , columns]) => /^ {2}user_id:/m.test(columns!))
    .map(([, name]) => name!)
  assert.ok(ofUsers.length > 30)
  assert.deepEqual(ofUsers.sort(), Object.keys(bounds).sort(), 'name each table here, with what bounds it')
  for (const [table, bound] of Object.entries(bounds))
    assert.ok(bound in storageLimits || bound.includes(' '), `${table}: "${bound}" is no storage limit`)
})

test('docs/jobs.md describes every task, and no other', () => {
  const table = read('docs/jobs.md')
    .split('\n\n')
    .find((part) => part.trimStart().startsWith('| job |'))!
  const described = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name!)
  assert.deepEqual(described.sort(), taskNames.toSorted())
})
