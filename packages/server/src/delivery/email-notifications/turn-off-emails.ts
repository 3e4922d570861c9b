import type { Caller } from '../../callers/caller.ts'
import { changeProperties } from '../../conversations/channels/subscriptions/properties.ts'
import { accessMessage, InvalidMessage } from '../../conversations/messages/model/access.ts'
import { setPolicy } from '../../conversations/topics/policies.ts'
import type { Tx } from '../../events/transact.ts'
import { accessOwnAccount, changeSettings } from '../../people/users/settings/own-settings.ts'
import { checkStorageLimit } from '../../people/users/storage-limits.ts'
import { matches } from '../../platform/db/matches.ts'
import { column, maybeOne } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Vault } from '../../platform/secrets.ts'
import type { Owner } from './due-emails.ts'

const purpose = 'email notifications off'
const validDays = 90

export class DeadUnsubscribeLink extends ApiError {
  constructor() {
    super(
      'This link is not valid or has expired. You can turn the emails off in your notification settings.',
      'NOT_FOUND',
    )
  }
}

interface Content {
  realmId: number
  userId: number
  /** Milliseconds since 1970. */
  validUntil: number
}

/** The token of the link in every email. It is encrypted, so that only the server can create one. */
export function unsubscribeToken(vault: Vault, { realmId, userId }: Owner, now = Date.now()): string {
  const content: Content = { realmId, userId, validUntil: now + validDays * 86_400_000 }
  return vault.sealToken(purpose, content)
}

/** The user whose emails the link turns off. */
export function accessUnsubscribe(vault: Vault, realmId: number, token: string): number {
  const content = vault.openToken(purpose, token) as Content | undefined
  if (content?.realmId !== realmId || content.validUntil < Date.now()) throw new DeadUnsubscribeLink()
  return content.userId
}

const mutePurpose = 'mute topic by email'

/** The token of the link that mutes the topic of an email. */
export function muteToken(vault: Vault, { realmId, userId }: Owner, topicId: number, now = Date.now()): string {
  return vault.sealToken(mutePurpose, { realmId, userId, topicId, validUntil: now + validDays * 86_400_000 })
}

/** The user and the topic of the link. */
export function accessMute(vault: Vault, realmId: number, token: string): { userId: number; topicId: number } {
  const content = vault.openToken(mutePurpose, token) as (Content & { topicId: number }) | undefined
  if (content?.realmId !== realmId || content.validUntil < Date.now()) throw new DeadUnsubscribeLink()
  return content
}

const muted = 1

/** A topic that was deleted, or that the user can no longer read, has nothing to mute. */
export async function muteTopic(tx: Tx, { userId, topicId }: { userId: number; topicId: number }): Promise<void> {
  const { caller } = await accessOwnAccount(tx, { realm_id: tx.realmId, id: userId })
  const topic = await tx.db
    .selectFrom('topics')
    .select(['channel_id', 'name'])
    .where(matches({ realm_id: tx.realmId, id: topicId }))
    .executeTakeFirst()
  if (!topic || !(await canReadNewest(tx, caller, topicId))) throw new DeadUnsubscribeLink()
  await setPolicy(tx, [userId], { channelId: topic.channel_id, topic: topic.name }, muted)
  await checkStorageLimit(tx, userId, 'user_topics')
}

/** Who can read nothing new of a topic must not learn what it is called now. */
async function canReadNewest({ db, realmId }: Tx, caller: Caller, topicId: number): Promise<boolean> {
  const newest = await maybeOne<{ id: number }>(db)`
    select id from messages where realm_id = ${realmId} and topic_id = ${topicId} order by id desc limit 1`
  try {
    return newest !== undefined && (await accessMessage(db, caller, newest.id)) !== undefined
  } catch (error) {
    if (error instanceof InvalidMessage) return false
    throw error
  }
}

const off = {
  enable_offline_email_notifications: false,
  enable_followed_topic_email_notifications: false,
  enable_stream_email_notifications: false,
}

/** Turns off all emails about messages, also those of single channels. */
export async function unsubscribe(tx: Tx, userId: number): Promise<void> {
  const own = await accessOwnAccount(tx, { realm_id: tx.realmId, id: userId })
  const channels = await column<number>(tx.db)`
    select channel_id from subscriptions
     where realm_id = ${tx.realmId} and user_id = ${userId} and is_active and email_notifications`
  const changes = channels.map((stream_id) => ({ stream_id, property: 'email_notifications', value: false }) as const)
  if (changes.length > 0) await changeProperties(tx, own.caller, changes)
  await changeSettings(tx, own, off)
}
