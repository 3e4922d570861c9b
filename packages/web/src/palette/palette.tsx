import { narrows } from '@parley/client/narrow'
import type { Store } from '@parley/client/store'
import { useMemo, useState } from 'react'
import { isMatch } from '../compose/completion.ts'
import { type PlainId, t } from '../platform/i18n.ts'
import { goTo } from '../platform/routing.ts'
import { parseSearch } from '../search/parse.ts'
import { useStore } from '../session/context.tsx'
import { channelHash, narrowHash } from '../session/links.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'

interface Entry {
  label: string
  detail: string
  icon: IconName
  hash: string
}

const limit = 12

/** Jumps to people, channels and screens, or searches messages. */
export function Palette({ start = '', onClose }: { start?: string; onClose: () => void }) {
  const store = useStore()
  const [query, setQuery] = useState(start)
  const [chosen, setChosen] = useState(0)
  const entries = useMemo(() => findEntries(store, query), [store, query])
  const open = (entry: Entry | undefined) => {
    if (!entry) return
    onClose()
    goTo(entry.hash)
  }
  return (
    <Dialog title={t('palette.title')} onClose={onClose} look="palette">
      <input
        type="search"
        role="combobox"
        aria-expanded={true}
        aria-controls="palette-list"
        aria-activedescendant={`palette-${chosen}`}
        aria-label={t('palette.title')}
        placeholder={t('palette.placeholder')}
        autoFocus
        value={query}
        onChange={({ target }) => {
          setQuery(target.value)
          setChosen(0)
        }}
        onKeyDown={(event) => {
          event.stopPropagation()
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
          if (step !== undefined) {
            event.preventDefault()
            setChosen((chosen + step + entries.length) % entries.length)
          }
          if (event.key === 'Enter') open(entries[chosen])
        }}
      />
      <ul id="palette-list" role="listbox" aria-label={t('palette.results')}>
        {entries.map((entry, index) => (
          <li
            key={entry.hash + entry.label}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => open(entry)}
          >
            <Icon name={entry.icon} />
            <b>{entry.label}</b>
            <span>{entry.detail}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

const screens: (Pick<Entry, 'icon' | 'hash'> & { label: PlainId; detail?: PlainId })[] = [
  { label: 'nav.inbox', detail: 'palette.inbox', icon: 'inbox', hash: '#inbox' },
  { label: 'nav.recent', detail: 'recent.title', icon: 'clock', hash: '#recent' },
  { label: 'nav.feed', icon: 'messages', hash: '#feed' },
  { label: 'nav.mentions', icon: 'at-sign', hash: '#narrow/is/mentioned' },
  { label: 'nav.starred', icon: 'star', hash: '#narrow/is/starred' },
  { label: 'nav.drafts', detail: 'palette.drafts', icon: 'pencil-line', hash: '#drafts' },
  { label: 'nav.scheduled', detail: 'palette.scheduled', icon: 'clock', hash: '#scheduled' },
  { label: 'nav.settings', icon: 'settings', hash: '#settings' },
]

/** `#` finds only channels, `@` only people. */
export function findEntries(store: Store, query: string): Entry[] {
  const sign = /^[#@]/.exec(query)?.[0]
  const text = query.slice(sign?.length ?? 0).trim()
  const channels = [...store.channels.subscribed.values(), ...store.channels.neverSubscribed.values()]
    .filter(({ name }) => isMatch(name, text))
    .map((one) => ({
      label: one.name,
      detail: one.description,
      icon: (one.invite_only ? 'lock' : 'hash') as IconName,
      hash: channelHash(one.stream_id, store),
    }))
  const people = [...store.users.byId.values()]
    .filter(({ full_name, is_active }) => is_active && isMatch(full_name, text))
    .map(({ full_name, email, user_id }) => ({
      label: full_name,
      detail: email,
      icon: 'circle-user-round' as IconName,
      hash: narrowHash(narrows.direct([user_id]), store),
    }))
  if (sign) return (sign === '#' ? channels : people).slice(0, limit)
  const named = screens.map((one) => ({ ...one, label: t(one.label), detail: one.detail ? t(one.detail) : '' }))
  const found = [...named.filter(({ label }) => isMatch(label, text)), ...channels, ...people].slice(0, limit)
  if (text === '') return found
  const narrow = parseSearch(text, store)
  return [
    ...found,
    { label: t('palette.search', { text }), detail: '', icon: 'search', hash: narrowHash(narrow, store) },
  ]
}
