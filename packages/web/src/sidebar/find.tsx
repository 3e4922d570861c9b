import { useState } from 'react'
import { t } from '../platform/i18n.ts'
import { IconButton } from '../ui/button.tsx'

const storageKey = 'unread-only'

/** Whether the sidebar shows only what is unread, on this device. */
export function useUnreadOnly(): [isOn: boolean, set: (isOn: boolean) => void] {
  const [isOn, setOn] = useState(() => localStorage.getItem(storageKey) === 'on')
  const set = (value: boolean) => {
    localStorage.setItem(storageKey, value ? 'on' : 'off')
    setOn(value)
  }
  return [isOn, set]
}

interface FindProps {
  query: string
  onQuery: (query: string) => void
  isUnreadOnly: boolean
  onUnreadOnly: (isOn: boolean) => void
}

/** The filter of the sidebar. Enter opens the first place that it finds, Escape clears it. */
export function Find({ query, onQuery, isUnreadOnly, onUnreadOnly }: FindProps) {
  const pressed = (event: React.KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape' && query === '') event.currentTarget.blur()
    if (event.key !== 'Escape' && event.key !== 'Enter') return
    event.preventDefault()
    if (event.key === 'Enter') event.currentTarget.closest('aside')?.querySelector<HTMLElement>('nav a')?.click()
    onQuery('')
  }
  return (
    <div className="find">
      <input
        type="search"
        className="text-input"
        aria-label={t('sidebar.filter')}
        placeholder={t('sidebar.filterShort')}
        value={query}
        onChange={({ target }) => onQuery(target.value)}
        onKeyDown={pressed}
      />
      <IconButton
        label={t('sidebar.unreadOnly')}
        icon="list-filter"
        look={isUnreadOnly ? 'on' : ''}
        aria-pressed={isUnreadOnly}
        onClick={() => onUnreadOnly(!isUnreadOnly)}
      />
    </div>
  )
}
