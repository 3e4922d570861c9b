import type { NewDraft } from '@parley/api/conversations/drafts'
import type { Caller } from '../../../callers/caller.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { accessChannel } from '../../channels/access.ts'
import { normalizeContent, normalizeTopic } from '../../messages/model/normalize-text.ts'
import { accessUsers } from '../../messages/send/destination.ts'

/** A draft as it is stored. */
export interface CheckedDraft {
  type: NewDraft['type']
  recipients: number[]
  topic: string
  content: string
  last_edited: Date
}

export function checkSynchronized({ settings }: Caller): void {
  if (!settings.enable_drafts_synchronization) throw new ApiError('User has disabled synchronizing drafts.')
}

/** A draft whose destination the caller can access, or that has no destination yet. */
export async function accessDraft(db: Db, caller: Caller, draft: NewDraft): Promise<CheckedDraft> {
  const content = normalizeContent(draft.content)
  const last_edited = draft.timestamp === undefined ? new Date() : new Date(draft.timestamp * 1000)
  const checked = { type: draft.type, recipients: [] as number[], topic: '', content, last_edited }
  switch (draft.type) {
    case 'stream':
      return { ...checked, recipients: [await channelOf(db, caller, draft.to)], topic: normalizeTopic(draft.topic) }
    case 'private':
      await accessUsers(db, caller, draft.to)
      return { ...checked, recipients: [...new Set(draft.to)] }
    default:
      return checked
  }
}

async function channelOf(db: Db, caller: Caller, to: number[]): Promise<number> {
  if (to.length !== 1) throw new ApiError('Must specify exactly 1 channel ID for channel messages')
  return (await accessChannel(db, caller, to[0]!)).id
}
