import { useEffect, useMemo, useState } from 'react'
import { t } from '../platform/i18n.ts'
import { useStore } from '../session/context.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { EmojiGlyph } from './emoji-glyph.tsx'
import { allEmoji, type EmojiEntry, findEmoji, loadStandardEmoji } from './emoji-list.ts'

const shownAtOnce = 160

/** Picks an emoji by name. Enter takes the first; the arrow keys move between them. */
export function EmojiPicker({ onPick, onClose }: { onPick: (emoji: EmojiEntry) => void; onClose: () => void }) {
  const store = useStore()
  const [standard, setStandard] = useState<EmojiEntry[]>([])
  const [query, setQuery] = useState('')
  useEffect(() => {
    loadStandardEmoji(String(store.settings.server_emoji_data_url)).then(setStandard, () => {})
  }, [store])
  const found = useMemo(() => findEmoji(allEmoji(standard, store), query, shownAtOnce), [standard, store, query])
  const pick = (emoji: EmojiEntry) => {
    onPick(emoji)
    onClose()
  }
  return (
    <Dialog title={t('emoji.pick')} onClose={onClose} look="picker">
      <div onKeyDown={moveInGrid}>
        <input
          type="search"
          aria-label={t('emoji.search')}
          placeholder={t('common.search')}
          value={query}
          onChange={({ target }) => setQuery(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.nativeEvent.isComposing && found[0]) pick(found[0])
          }}
        />
        <div className="emoji-grid">
          {found.map((emoji) => (
            <button
              key={emoji.emoji_name}
              type="button"
              title={emoji.emoji_name}
              aria-label={emoji.emoji_name}
              onClick={() => pick(emoji)}
            >
              <EmojiGlyph emoji={emoji} />
            </button>
          ))}
        </div>
        {found.length === 0 && query !== '' && <p className="quiet">{t('emoji.none')}</p>}
      </div>
    </Dialog>
  )
}

/** From the search field down into the grid, and inside it in all directions. */
function moveInGrid(event: React.KeyboardEvent<HTMLElement>): void {
  event.stopPropagation()
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('.emoji-grid button')]
  const now = buttons.indexOf(event.target as HTMLElement)
  const columns = buttons.findIndex((one) => one.offsetTop > (buttons[0]?.offsetTop ?? 0))
  const row = columns < 1 ? buttons.length : columns
  const steps: Record<string, number> = { ArrowDown: now < 0 ? 1 : row, ArrowUp: -row, ArrowRight: 1, ArrowLeft: -1 }
  const step = steps[event.key]
  if (step === undefined || (now < 0 && event.key !== 'ArrowDown')) return
  event.preventDefault()
  if (event.key === 'ArrowUp' && now < row) event.currentTarget.querySelector('input')?.focus()
  else buttons[now + step]?.focus()
}
