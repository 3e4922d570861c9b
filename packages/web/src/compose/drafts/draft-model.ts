import type { DraftObject, NewDraft } from '@parley/api/conversations/drafts'
import { type Narrow, narrows } from '@parley/client/messages/narrow'
import type { Destination } from '@parley/client/session/outbox'
import { topicKey } from '@parley/client/store/topics'

/** What was typed in one composer and not sent. */
export interface LocalDraft {
  to: Destination
  text: string
  /** When it was typed, in seconds. */
  at: number
  /** On the server, once it was stored there. */
  id?: number
  /** What the server has, to see whether this device changed it since. */
  saved?: string
}

/** The same text for drafts of the same conversation. */
export function slotOf(to: Destination): string {
  return 'stream_id' in to ? topicKey(to.stream_id, to.topic) : `dm ${to.user_ids.toSorted((a, b) => a - b).join()}`
}

export function wireDraft({ to, text, at }: LocalDraft): NewDraft {
  return 'stream_id' in to
    ? { type: 'stream', to: [to.stream_id], topic: to.topic, content: text, timestamp: at }
    : { type: 'private', to: to.user_ids, topic: '', content: text, timestamp: at }
}

/** Undefined for drafts without a recipient, which other clients may store. */
export function fromServer({ id, type, to, topic, content, timestamp }: DraftObject): LocalDraft | undefined {
  const [first] = to
  if (first === undefined) return undefined
  const place = type === 'stream' ? { stream_id: first, topic } : { user_ids: to }
  const draft = { to: place, text: content, at: timestamp, id }
  return { ...draft, saved: fingerprint(draft) }
}

function fingerprint(draft: LocalDraft): string {
  const { type, to, topic, content } = wireDraft(draft)
  return JSON.stringify([type, to, topic, content])
}

export function asSaved(draft: LocalDraft, id: number): LocalDraft {
  return { ...draft, id, saved: fingerprint(draft) }
}

/** The request that brings the server's draft up to date. */
export function nextStep(draft: LocalDraft): 'create' | 'edit' | 'delete' | undefined {
  if (draft.text.trim() === '') return draft.id === undefined ? undefined : 'delete'
  if (draft.id === undefined) return 'create'
  return fingerprint(draft) === draft.saved ? undefined : 'edit'
}

export function withoutId({ to, text, at }: LocalDraft): LocalDraft {
  return { to, text, at }
}

/** After it was sent or discarded elsewhere, only text typed here since then is kept. */
export function afterRemoval(draft: LocalDraft): LocalDraft | undefined {
  return nextStep(draft) === 'edit' ? withoutId(draft) : undefined
}

/** Newer text from elsewhere replaces what is unchanged here; text typed here since then is kept. */
export function afterUpdate(draft: LocalDraft, server: LocalDraft): LocalDraft {
  if (nextStep(draft) !== undefined) return { ...draft, ...(server.saved !== undefined && { saved: server.saved }) }
  return server.at > draft.at ? server : draft
}

/** The conversation that a message goes to. */
export function narrowOf(to: Destination): Narrow {
  return 'stream_id' in to ? narrows.topic(to.stream_id, to.topic) : narrows.direct(to.user_ids)
}
