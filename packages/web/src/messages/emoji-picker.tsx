import { useEffect, useMemo, useState } from 'react'
import { glyphOf } from '../platform/emoji.ts'
import { useStore } from '../session/context.tsx'
import { Dialog } from '../ui/dialog.tsx'

export type Picked = { emoji_name: string; emoji_code: string; reaction_type: string }

const shownAtOnce = 160
let loaded: Promise<Record<string, string>> | undefined

/** The names of all standard emoji with their codes, from the server. */
function loadNames(url: string): Promise<Record<string, string>> {
  loaded ??= fetch(url)
    .then((response) => response.json() as Promise<{ code_to_names: Record<string, string[]> }>)
    .then(({ code_to_names }) =>
      Object.fromEntries(Object.entries(code_to_names).flatMap(([code, names]) => names.map((name) => [name, code]))),
    )
  return loaded
}

/** Picks an emoji by name. Enter takes the first. */
export function EmojiPicker({ onPick, onClose }: { onPick: (emoji: Picked) => void; onClose: () => void }) {
  const store = useStore()
  const [names, setNames] = useState<Record<string, string>>({})
  const [query, setQuery] = useState('')
  useEffect(() => {
    loadNames(String(store.settings.server_emoji_data_url)).then(setNames, () => {})
  }, [store])
  const found = useMemo(() => findEmoji(names, query), [names, query])
  const pick = (emoji: Picked) => {
    onPick(emoji)
    onClose()
  }
  return (
    <Dialog title="Pick an emoji" onClose={onClose} look="picker">
      <input
        type="search"
        aria-label="Search emoji"
        placeholder="Search"
        value={query}
        onChange={({ target }) => setQuery(target.value)}
        onKeyDown={(event) => {
          event.stopPropagation()
          if (event.key === 'Enter' && found[0]) pick(found[0])
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
            {glyphOf(emoji.emoji_code)}
          </button>
        ))}
      </div>
    </Dialog>
  )
}

/** Names that begin with the query come first. */
export function findEmoji(names: Record<string, string>, query: string): Picked[] {
  const text = query.trim().toLowerCase().replace(/ /g, '_')
  const seen = new Set<string>()
  return Object.entries(names)
    .filter(([name]) => name.includes(text))
    .sort(([a], [b]) => Number(b.startsWith(text)) - Number(a.startsWith(text)))
    .filter(([, code]) => !seen.has(code) && seen.add(code))
    .slice(0, shownAtOnce)
    .map(([emoji_name, emoji_code]) => ({ emoji_name, emoji_code, reaction_type: 'unicode_emoji' }))
}
