import { type KeyboardEvent, useId, useState } from 'react'
import { EmojiGlyph } from '../messages/emoji-glyph.tsx'
import { t } from '../platform/i18n.ts'
import type { Suggestion } from './completion.ts'

/** Suggestions above a text field: the arrow keys choose, Enter or Tab takes, Escape closes. */
export function useCompletion(
  suggestions: readonly Suggestion[],
  take: (suggestion: Suggestion) => void,
  close: () => void,
) {
  const [choice, setChoice] = useState(0)
  const id = useId()
  const isOpen = suggestions.length > 0
  const chosen = Math.min(choice, Math.max(0, suggestions.length - 1))
  /** Whether the key was used. */
  const pressed = (event: KeyboardEvent): boolean => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
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
    <ul className="completion" role="listbox" aria-label={t('compose.suggestions')} id={id}>
      {suggestions.map((one, index) => (
        <li
          key={one.text}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === chosen}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => take(one)}
        >
          {one.emoji && <EmojiGlyph emoji={one.emoji} />}
          <b>{one.label}</b> <span>{one.detail}</span>
        </li>
      ))}
    </ul>
  )
  return { list, pressed, fieldProps, reset: () => setChoice(0) }
}
