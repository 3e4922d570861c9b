import type { Destination } from '@parley/client/session/outbox'
import { type RefObject, useState } from 'react'
import { insertText } from '../editing.ts'
import { type Suggestion, suggest } from './completion.ts'
import { useCompletion } from './use-completion.tsx'
import { useSources } from './use-sources.ts'

const nothing = { length: 0, suggestions: [] }

/** Completes people, channels, topics, emoji and commands in a message that is being written. */
export function useTextCompletion(area: RefObject<HTMLTextAreaElement | null>, destination?: Destination) {
  const sources = useSources(destination)
  const [before, setBefore] = useState<string>()
  const close = () => setBefore(undefined)
  const found = before === undefined ? undefined : suggest(sources, before)
  const take = ({ text }: Suggestion) => {
    const { selectionStart } = area.current!
    area.current!.setSelectionRange(selectionStart - found!.length, selectionStart)
    insertText(area.current!, text)
    close()
  }
  const completion = useCompletion(area, found ?? nothing, take, close)
  const changed = ({ value, selectionStart }: HTMLTextAreaElement) => {
    setBefore(value.slice(0, selectionStart))
    completion.reset()
  }
  return { ...completion, changed, close }
}
