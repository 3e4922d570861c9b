import { glyphOf } from '@parley/markdown/glyph'
import { useEffect, useMemo, useRef, useState } from 'react'
import { inTone } from '../platform/emoji.ts'
import { t } from '../platform/i18n.ts'
import { useSession, useStore } from '../session/context.tsx'
import { Icon } from '../ui/icon.tsx'
import { Popover } from '../ui/popover.tsx'
import { EmojiGlyph } from './emoji-glyph.tsx'
import { groupsOf } from './emoji-groups.ts'
import { allEmoji, type EmojiEntry, findEmoji, loadStandardEmoji } from './emoji-list.ts'
import { addRecentEmoji, recentEmoji, setSkinTone, skinTone } from './recent-emoji.ts'
import './emoji-picker.css'

const shownAtOnce = 160

interface EmojiPickerProps {
  /** The button that it belongs to. */
  anchor: () => Element | null | undefined
  /** `toned` is the glyph with the chosen skin tone, where there is one. */
  onPick: (emoji: EmojiEntry, toned: string | undefined) => void
  onClose: () => void
  /** Reactions have none. */
  hasTones?: boolean
}

/** Picks an emoji by name or from its group. Enter takes the first one; with Shift, more can be picked. */
export function EmojiPicker({ anchor, onPick, onClose, hasTones = false }: EmojiPickerProps) {
  const session = useSession()
  const all = useEmoji()
  const [query, setQuery] = useState('')
  const [group, setGroup] = useState(recent)
  const [pointed, setPointed] = useState<EmojiEntry>()
  const [tone, setTone] = useState(() => (hasTones ? skinTone(session) : ''))
  const search = useRef<HTMLInputElement>(null)
  const found = useMemo(() => findEmoji(all.list, query, shownAtOnce), [all, query])
  const pick = (emoji: EmojiEntry, isMore: boolean) => {
    addRecentEmoji(session, emoji)
    onPick(emoji, inTone(emoji.glyph ?? '', tone))
    if (isMore) search.current?.focus()
    else onClose()
  }
  const sections = query === '' ? all.sections(group) : [{ label: '', emoji: found }]
  return (
    <Popover label={t('emoji.pick')} anchor={anchor} onClose={onClose} look="emoji-pop" onKeyDown={moveInGrid}>
      <div className="emoji-body">
        <input
          ref={search}
          type="search"
          aria-label={t('emoji.search')}
          placeholder={t('emoji.search')}
          value={query}
          onChange={({ target }) => setQuery(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.nativeEvent.isComposing || !found[0]) return
            // Otherwise, the button that gets the focus back would be pressed by the same key.
            event.preventDefault()
            pick(found[0], event.shiftKey)
          }}
        />
        <div className="emoji-groups" role="tablist" aria-label={t('emoji.groups')}>
          {all.tabs.map(({ key, label, icon }) => (
            <button
              key={key}
              type="button"
              role="tab"
              aria-selected={key === group && query === ''}
              aria-label={label}
              title={label}
              tabIndex={key === group ? 0 : -1}
              onClick={() => {
                setQuery('')
                setGroup(key)
              }}
            >
              {icon}
            </button>
          ))}
        </div>
        <div className="emoji-all" key={group}>
          {sections.map(({ label, emoji }, section) => (
            <section key={label}>
              {label && <h2>{label}</h2>}
              <div className="emoji-grid">
                {emoji.map((one, index) => (
                  <button
                    key={`${one.reaction_type} ${one.emoji_code}`}
                    type="button"
                    tabIndex={section === 0 && index === 0 ? 0 : -1}
                    title={one.emoji_name}
                    aria-label={one.emoji_name}
                    onClick={(event) => pick(one, event.shiftKey)}
                    onPointerEnter={() => setPointed(one)}
                    onFocus={() => setPointed(one)}
                  >
                    <EmojiGlyph emoji={inLook(one, tone)} />
                  </button>
                ))}
              </div>
            </section>
          ))}
          {found.length === 0 && query !== '' && <p className="quiet">{t('emoji.none')}</p>}
        </div>
        <footer>
          {pointed && <EmojiGlyph emoji={inLook(pointed, tone)} />}
          <code>{pointed && `:${pointed.emoji_name}:`}</code>
          {hasTones && (
            <Tones
              tone={tone}
              onChoose={(chosen) => {
                setSkinTone(session, chosen)
                setTone(chosen)
              }}
            />
          )}
        </footer>
      </div>
    </Popover>
  )
}

const recent = 'recent'
const own = 'own'

/** All emoji, and what the picker shows of them before something is searched for. */
function useEmoji() {
  const session = useSession()
  const store = useStore()
  const [standard, setStandard] = useState<EmojiEntry[]>([])
  useEffect(() => {
    loadStandardEmoji(String(store.settings.server_emoji_data_url)).then(setStandard, () => {})
  }, [store])
  return useMemo(() => {
    const list = allEmoji(standard, store)
    const groups = groupsOf(standard).map(({ first, label, emoji }) => ({ key: first, label: t(label), emoji }))
    const used = { key: recent, label: t('emoji.recent'), emoji: recentEmoji(session, list) }
    const custom = { key: own, label: t('emoji.own'), emoji: list.filter(({ url }) => url !== undefined) }
    const customs = custom.emoji.length > 0 ? [custom] : []
    return {
      list,
      tabs: [used, ...customs, ...groups].map(({ key, label }) => ({ key, label, icon: iconOf(key) })),
      sections: (key: string) =>
        key === recent ? [used, ...customs, groups[0]!] : [...customs, ...groups].filter((one) => one.key === key),
    }
  }, [session, standard, store])
}

function iconOf(key: string) {
  if (key === recent) return <Icon name="clock" />
  return key === own ? <Icon name="building-complex" /> : glyphOf(key)
}

function inLook(emoji: EmojiEntry, tone: string): EmojiEntry {
  const toned = inTone(emoji.glyph ?? '', tone)
  return toned === undefined ? emoji : { ...emoji, glyph: toned }
}

/** From none to the darkest. */
const tones = ['', ...'\u{1f3fb}\u{1f3fc}\u{1f3fd}\u{1f3fe}\u{1f3ff}']

function Tones({ tone: chosen, onChoose }: { tone: string; onChoose: (tone: string) => void }) {
  return (
    <fieldset className="tones" aria-label={t('emoji.tone')}>
      {tones.map((tone, index) => (
        <button
          key={tone}
          type="button"
          aria-pressed={tone === chosen}
          aria-label={t('emoji.toneLabel', { index: String(index) })}
          onClick={() => onChoose(tone)}
        >
          {`✋${tone}`}
        </button>
      ))}
    </fieldset>
  )
}

/** From the search field down into the grid, inside it in all directions, and between the groups. */
function moveInGrid(event: React.KeyboardEvent<HTMLElement>): void {
  const target = event.target as HTMLElement
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('.emoji-grid button')]
  const next = target.role === 'tab' ? nextTab(target, event.key) : nextEmoji(all, target, event.key)
  const isAbove = next === undefined && event.key === 'ArrowUp' && all.includes(target)
  if (!next && !isAbove) return
  event.preventDefault()
  if (isAbove) return event.currentTarget.querySelector('input')?.focus()
  next!.focus()
  if (next!.role === 'tab') next!.click()
}

function nextTab(tab: HTMLElement, key: string): HTMLElement | undefined {
  if (key !== 'ArrowRight' && key !== 'ArrowLeft') return undefined
  const isForward = (key === 'ArrowRight') !== (getComputedStyle(tab).direction === 'rtl')
  return ((isForward ? tab.nextElementSibling : tab.previousElementSibling) as HTMLElement | null) ?? undefined
}

/** The nearest one in the direction of an arrow key. */
function nextEmoji(all: HTMLElement[], from: HTMLElement, key: string): HTMLElement | undefined {
  if (!all.includes(from)) return key === 'ArrowDown' ? all[0] : undefined
  const here = from.getBoundingClientRect()
  const distance = (one: HTMLElement): number => {
    const { left, top } = one.getBoundingClientRect()
    const [x, y] = [left - here.left, top - here.top]
    if (key === 'ArrowRight') return y === 0 && x > 0 ? x : Infinity
    if (key === 'ArrowLeft') return y === 0 && x < 0 ? -x : Infinity
    if (key === 'ArrowDown') return y > 0 ? y * 100 + Math.abs(x) : Infinity
    return key === 'ArrowUp' && y < 0 ? -y * 100 + Math.abs(x) : Infinity
  }
  const nearest = all.map((one) => ({ one, distance: distance(one) })).sort((a, b) => a.distance - b.distance)[0]
  return nearest && nearest.distance < Infinity ? nearest.one : undefined
}
