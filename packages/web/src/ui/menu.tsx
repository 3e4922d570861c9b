import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Icon, type IconName } from './icon.tsx'

export interface MenuItem {
  label: string
  icon?: IconName
  isDanger?: boolean
  onSelect: () => void
}

interface MenuProps {
  label: string
  items: readonly (MenuItem | undefined | false)[]
  trigger: (props: { onClick: () => void; 'aria-haspopup': 'menu'; 'aria-expanded': boolean; id: string }) => ReactNode
}

/** A button that opens a menu. Arrow keys move, Escape closes and gives the focus back. */
export function Menu({ label, items, trigger }: MenuProps) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const close = () => {
    setOpen(false)
    document.getElementById(id)?.focus()
  }
  useEffect(() => {
    if (!isOpen) return
    list.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus()
    const outside = ({ target }: Event) => list.current?.contains(target as Node) || setOpen(false)
    document.addEventListener('pointerdown', outside)
    return () => document.removeEventListener('pointerdown', outside)
  }, [isOpen])
  return (
    <span className="menu-anchor">
      {trigger({ id, onClick: () => setOpen(!isOpen), 'aria-haspopup': 'menu', 'aria-expanded': isOpen })}
      {isOpen && (
        <div ref={list} className="menu" role="menu" aria-label={label} onKeyDown={(event) => moveFocus(event, close)}>
          {items.filter(isItem).map(({ label: text, icon, isDanger, onSelect }) => (
            <button
              key={text}
              type="button"
              role="menuitem"
              tabIndex={-1}
              className={isDanger ? 'danger' : ''}
              onClick={() => {
                close()
                onSelect()
              }}
            >
              {icon && <Icon name={icon} />}
              {text}
            </button>
          ))}
        </div>
      )}
    </span>
  )
}

function isItem(item: MenuItem | undefined | false): item is MenuItem {
  return Boolean(item)
}

function moveFocus(event: React.KeyboardEvent<HTMLElement>, close: () => void): void {
  event.stopPropagation()
  if (event.key === 'Escape' || event.key === 'Tab') return close()
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  event.preventDefault()
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=menuitem]')]
  const now = items.indexOf(document.activeElement as HTMLElement)
  items[(now + step + items.length) % items.length]?.focus()
}
