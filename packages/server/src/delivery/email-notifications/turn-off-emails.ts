import { changeProperties } from '../../conversations/channels/subscriptions/properties.ts'
import type { Tx } from '../../events/transact.ts'
import { accessOwnAccount, changeSettings } from '../../people/users/settings/own-settings.ts'
import { column } from '../../platform/db/query.ts'
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
