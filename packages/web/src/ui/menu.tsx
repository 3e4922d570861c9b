import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { Icon, type IconName } from './icon.tsx'

export interface MenuItem {
  label: string
  icon?: IconName
  isDanger?: boolean
  onSelect: () => void
}

type MenuItems = readonly (MenuItem | undefined | false)[]

interface MenuProps {
  label: string
  /** A function where there are many menus: it is called when the menu opens. */
  items: MenuItems | (() => MenuItems)
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
  useLayoutEffect(() => {
    if (!isOpen || !list.current) return
    // In the top layer it is neither clipped by a list that scrolls nor covered.
    list.current.showPopover()
    placeBeside(list.current, document.getElementById(id)!.getBoundingClientRect())
    list.current.querySelector<HTMLElement>('[role=menuitem]')?.focus({ preventScroll: true })
  }, [isOpen, id])
  useEffect(() => {
    if (!isOpen) return
    const hide = () => setOpen(false)
    const outside = ({ target }: Event) => list.current?.contains(target as Node) || hide()
    document.addEventListener('pointerdown', outside)
    window.addEventListener('resize', hide)
    return () => {
      document.removeEventListener('pointerdown', outside)
      window.removeEventListener('resize', hide)
    }
  }, [isOpen])
  return (
    <span className="menu-anchor">
      {trigger({ id, onClick: () => setOpen(!isOpen), 'aria-haspopup': 'menu', 'aria-expanded': isOpen })}
      {isOpen && (
        <div
          ref={list}
          popover="manual"
          className="menu"
          role="menu"
          aria-label={label}
          onKeyDown={(event) => moveFocus(event, close)}
        >
          {(typeof items === 'function' ? items() : items)
            .filter(isItem)
            .map(({ label: text, icon, isDanger, onSelect }) => (
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

const margin = 8

/** Below the button, or above it where there is more room, with its end at the button's end. */
function placeBeside(menu: HTMLElement, button: DOMRect): void {
  const { width, height } = menu.getBoundingClientRect()
  const below = button.bottom + 4
  const top = below + height + margin > window.innerHeight && button.top > height ? button.top - height - 4 : below
  const isRightToLeft = getComputedStyle(menu).direction === 'rtl'
  const left = isRightToLeft ? button.left : button.right - width
  menu.style.top = `${Math.max(margin, Math.min(top, window.innerHeight - height - margin))}px`
  menu.style.left = `${Math.max(margin, Math.min(left, window.innerWidth - width - margin))}px`
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

/** Opens the menu of a row by right click or long press. */
export function openMenuInside(event: React.MouseEvent<HTMLElement>): void {
  const button = event.currentTarget.querySelector<HTMLElement>('[aria-haspopup=menu]')
  if (!button) return
  event.preventDefault()
  button.click()
}

/** As `openMenuInside`, but leaves the right click to the browser, for rows whose text can be copied. */
export function openMenuByTouch(event: React.MouseEvent<HTMLElement>): void {
  if ((event.nativeEvent as PointerEvent).pointerType === 'touch') openMenuInside(event)
}
