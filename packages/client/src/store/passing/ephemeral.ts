import type { QueueEvent } from '@parley/api/events'
import type { Slice, State } from '../state.ts'
import { topicKey } from '../topics.ts'

export type Note = Extract<QueueEvent, { type: 'ephemeral_message' }>
type Place = { stream_id: number; topic: string } | { user_ids: readonly number[] }

/** As many as fit above the composer. */
const most = 5

/** What bots answered to the viewer alone, the newest last. It is kept nowhere. */
export class Ephemeral implements Slice {
  readonly events = ['ephemeral_message'] as const
  readonly fields = []
  #notes: readonly Note[] = []

  apply(event: QueueEvent): void {
    if (event.type === 'ephemeral_message') this.#notes = [...this.#notes, event].slice(-most)
  }

  snapshot(): State {
    return {}
  }

  in(place: Place, viewerId: number): Note[] {
    const key = keyOf(place, viewerId)
    return this.#notes.filter((note) => keyOf(placeOf(note), viewerId) === key)
  }

  dismiss(id: number): void {
    this.#notes = this.#notes.filter((note) => note.id !== id)
  }
}

function placeOf({ stream_id, topic = '', user_ids = [] }: Note): Place {
  return stream_id === undefined ? { user_ids } : { stream_id, topic }
}

function keyOf(place: Place, viewerId: number): string {
  if ('stream_id' in place) return topicKey(place.stream_id, place.topic)
  return [...new Set([...place.user_ids, viewerId])].sort((a, b) => a - b).join()
}
