import { type RefObject, useLayoutEffect, useRef } from 'react'
import { EmojiGlyph } from '../../messages/emoji-glyph.tsx'
import { PresentAvatar } from '../../people/avatar.tsx'
import { t } from '../../platform/i18n.ts'
import { Icon } from '../../ui/icon.tsx'
import { Options } from '../../ui/options.tsx'
import { caretColumn, type Field } from './caret-column.ts'
import type { Suggestion } from './completion.ts'

interface CompletionListProps {
  id: string
  field: RefObject<Field | null>
  length: number
  suggestions: readonly Suggestion[]
  chosen: number
  take: (suggestion: Suggestion) => void
}

/** What could complete the text: above the box, at the column where the completed text begins. */
export function CompletionList({ id, field, length, suggestions, chosen, take }: CompletionListProps) {
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    // In the top layer it is neither clipped by a list that scrolls nor covered.
    list.current!.showPopover()
    placeAtCaret(list.current!, field.current!, length)
  })
  return (
    <Options
      ref={list}
      id={id}
      popover="manual"
      className="completion"
      label={t('compose.suggestions')}
      chosen={chosen}
      options={suggestions.map((one) => ({
        key: one.text,
        onPick: () => take(one),
        content: (
          <>
            <Face of={one} />
            <span className="what">
              <b>{one.label}</b> {one.detail && <small>{one.detail}</small>}
            </span>
            {one.hint && <span className="hint">{one.hint}</span>}
          </>
        ),
      }))}
    />
  )
}

function Face({ of: { emoji, userId, icon, color } }: { of: Suggestion }) {
  if (emoji) return <EmojiGlyph emoji={emoji} />
  if (userId !== undefined) return <PresentAvatar userId={userId} />
  return icon ? (
    <span className="sign" style={{ '--channel': color }}>
      <Icon name={icon} />
    </span>
  ) : null
}

const margin = 8

function placeAtCaret(list: HTMLElement, field: Field, length: number): void {
  const box = (field.closest('.box') ?? field).getBoundingClientRect()
  const isBelow = box.top < 160 && window.innerHeight - box.bottom > box.top
  const room = isBelow ? window.innerHeight - box.bottom : box.top
  list.style.maxBlockSize = `${room - 2 * margin}px`
  const left = caretColumn(field, (field.selectionStart ?? 0) - length)
  list.style.left = `${Math.max(margin, Math.min(left - 2 * margin, window.innerWidth - list.offsetWidth - margin))}px`
  list.style.top = `${isBelow ? box.bottom + margin : box.top - list.offsetHeight - margin}px`
}
