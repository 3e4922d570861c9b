import type { ShownMessage } from '@parley/client/messages/cache'
import { topicKey } from '@parley/client/store/topics'
import { useSyncExternalStore } from 'react'
import { holdAct } from '../ui/toast.tsx'

/** What undoes the deletions that are held for a moment, by message or topic. */
const held = new Map<number | string, () => void>()
const listeners = new Set<() => void>()

/** Deletes a message, by its id, or a topic, by its key. Until that happens, the messages are collapsed. */
export function holdDeletion(key: number | string, text: string, act: () => void): void {
  const isOne = typeof key === 'number' // then its row says so
  held.set(
    key,
    holdAct(
      text,
      act,
      () => {
        held.delete(key)
        announce()
      },
      isOne,
    ),
  )
  announce()
}

function announce(): void {
  for (const listener of [...listeners]) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** What undoes the deletion of the message, while it is held. */
export function useHeldDeletion({ id, type, stream_id, subject }: ShownMessage): (() => void) | undefined {
  return useSyncExternalStore(
    subscribe,
    () => held.get(id) ?? (type === 'stream' ? held.get(topicKey(stream_id!, subject)) : undefined),
  )
}
