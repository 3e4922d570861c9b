import { useMemo, useState } from 'react'
import { runCommand } from '../platform/commands.ts'
import { t } from '../platform/i18n.ts'
import { listStep } from '../platform/keys.ts'
import { goTo } from '../platform/routing.ts'
import { useSession, useStore } from '../session/context.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { Options } from '../ui/options.tsx'
import { type Entry, findEntries } from './entries.ts'

/** Jumps to conversations, people, channels, screens and settings, does what keys do, or searches messages. */
export function Palette({ start = '', onClose }: { start?: string; onClose: () => void }) {
  const store = useStore()
  const [query, setQuery] = useState(start)
  const [chosen, setChosen] = useState(0)
  const session = useSession()
  const { viewerId, messages } = session
  const entries = useMemo(
    () => findEntries({ store, viewerId, messages: [...messages.byId.values()] }, query),
    [store, viewerId, messages, query],
  )
  const open = (entry: Entry | undefined) => {
    if (!entry) return
    onClose()
    if ('hash' in entry) goTo(entry.hash)
    else if ('run' in entry) entry.run(session)
    else runCommand(entry.command)
  }
  return (
    <Dialog title={t('palette.title')} onClose={onClose} look="palette">
      <input
        type="search"
        role="combobox"
        aria-expanded={true}
        aria-controls="palette-list"
        aria-activedescendant={entries.length > 0 ? `palette-list-${chosen}` : undefined}
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
          if (event.nativeEvent.isComposing) return
          const step = listStep(event.key)
          if (step !== undefined) {
            event.preventDefault()
            setChosen((chosen + step + entries.length) % Math.max(1, entries.length))
          }
          if (event.key === 'Enter') open(entries[chosen])
        }}
      />
      <Options
        id="palette-list"
        label={t('palette.results')}
        chosen={chosen}
        options={entries.map((entry) => ({
          key: `${entry.label} ${'hash' in entry ? entry.hash : ''}`,
          onPick: () => open(entry),
          content: (
            <>
              <Icon name={entry.icon} />
              <b>{entry.label}</b>
              <span>{entry.detail}</span>
            </>
          ),
        }))}
      />
      {entries.length === 0 && (
        <p className="quiet" role="status">
          {t('picker.none')}
        </p>
      )}
    </Dialog>
  )
}
