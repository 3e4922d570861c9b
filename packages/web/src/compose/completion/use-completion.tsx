import { type KeyboardEvent, type RefObject, Suspense, useId, useState } from 'react'
import { listStep } from '../../platform/keys.ts'
import { earlyPart } from '../../session/lazy-part.tsx'
import type { Field } from './caret-column.ts'
import type { Suggestion } from './completion.ts'

const CompletionList = earlyPart(() => import('./completion-list.tsx').then((one) => one.CompletionList))

/**
 * Suggestions for the `length` characters before the caret of a text field: the arrow keys choose, Enter or Tab takes, Escape
 * closes.
 */
export function useCompletion(
  field: RefObject<Field | null>,
  { length, suggestions }: { length: number; suggestions: readonly Suggestion[] },
  take: (suggestion: Suggestion) => void,
  close: () => void,
) {
  const [choice, setChoice] = useState(0)
  const id = useId()
  const isOpen = suggestions.length > 0
  const chosen = Math.min(choice, Math.max(0, suggestions.length - 1))
  /** Whether the key was used. */
  const pressed = (event: KeyboardEvent): boolean => {
    const step = listStep(event.key)
    if (!isOpen || event.nativeEvent.isComposing) return false
    if (step !== undefined) setChoice((chosen + step + suggestions.length) % suggestions.length)
    else if (event.key === 'Enter' || event.key === 'Tab') take(suggestions[chosen]!)
    else if (event.key === 'Escape') close()
    else return false
    event.preventDefault()
    return true
  }
  const fieldProps = isOpen
    ? { 'aria-autocomplete': 'list' as const, 'aria-controls': id, 'aria-activedescendant': `${id}-${chosen}` }
    : { 'aria-autocomplete': 'list' as const }
  const list = isOpen && (
    <Suspense>
      <CompletionList {...{ id, field, length, suggestions, chosen, take }} />
    </Suspense>
  )
  return { list, pressed, fieldProps, reset: () => setChoice(0) }
}
