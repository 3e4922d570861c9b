import type { Realm } from '../../callers/realm-state.ts'
import type { Db } from '../../platform/db/pool.ts'
import { exists } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { isOpenToAnyone } from '../channels/visibility/conditions.ts'
import { findOpenChannel, findOpenTopic, type OpenChannel, type OpenTopic } from './queries.ts'

/** Also for channels and topics that exist and are not open: readers without an account learn nothing about them. */
export class NotOpen extends ApiError {
  constructor() {
    super('There is no open channel at this address. Sign in if you have an account.', 'NOT_FOUND')
  }
}

/** Whether people without an account may read the web-public channels of the organization. */
export function isOpen({ settings, deactivated }: Realm): boolean {
  return settings.enable_spectator_access && !deactivated
}

/** Whether the sign-in page leads to open channels. */
export async function hasOpenChannel(db: Db, realm: Realm): Promise<boolean> {
  return (
    isOpen(realm) &&
    (await exists(db)`
    select 1 from channels c where c.realm_id = ${realm.id} and ${isOpenToAnyone}`)
  )
}

export function checkOpen(realm: Realm): void {
  if (!isOpen(realm)) throw new NotOpen()
}

export async function accessOpenChannel(db: Db, realm: Realm, id: number): Promise<OpenChannel> {
  checkOpen(realm)
  const channel = await findOpenChannel(db, realm.id, id)
  if (!channel) throw new NotOpen()
  return channel
}

export async function accessOpenTopic(db: Db, realm: Realm, channelId: number, topicId: number): Promise<OpenTopic> {
  const topic = await findOpenTopic(db, realm.id, channelId, topicId)
  if (!topic) throw new NotOpen()
  return topic
}
