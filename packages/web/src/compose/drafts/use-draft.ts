import type { Destination } from '@parley/client/session/outbox'
import { useEffect, useState } from 'react'
import { useSession } from '../../session/context.tsx'
import { nextStep, slotOf } from './draft-model.ts'
import { type DraftEntry, draftsOf } from './drafts.ts'

/** The text of a composer, and the topic if it is chosen there, kept as a draft. */
export function useDraft(place: Destination, needsTopic: boolean) {
  const session = useSession()
  const box = draftsOf(session)
  const slot = needsTopic && 'stream_id' in place ? `channel ${place.stream_id}` : slotOf(place)
  const [typed, setTyped] = useState(() => readTyped(box, slot))
  const { text, topic } = typed.slot === slot ? typed : readTyped(box, slot)
  const target = needsTopic && 'stream_id' in place ? { ...place, topic: topic.trim() } : place

  // biome-ignore lint/correctness/useExhaustiveDependencies: `target` is built again each time.
  useEffect(() => box.write(slot, target, text), [box, slot, text, JSON.stringify(target)])
  useEffect(() => box.subscribe((which) => (which ?? slot) === slot && setTyped(readTyped(box, slot))), [box, slot])
  const draft = box.read(slot)
  return {
    slot,
    target,
    text,
    setText: (value: string) => setTyped({ slot, topic, text: value }),
    setTopic: (value: string) => setTyped({ slot, text, topic: value }),
    isKept: draft?.id !== undefined && nextStep(draft) === undefined,
    entry: (): DraftEntry | undefined => {
      const now = box.read(slot)
      return now && { slot, draft: now }
    },
  }
}

function readTyped(box: ReturnType<typeof draftsOf>, slot: string) {
  const draft = box.read(slot)
  const topic = draft && 'stream_id' in draft.to ? draft.to.topic : ''
  return { slot, text: draft?.text ?? '', topic }
}
