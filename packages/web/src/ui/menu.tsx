import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { errorText } from '../platform/error-text.ts'
import { type Command, keyLabel, keyOf, listStep } from '../platform/keys.ts'
import { Icon, type IconName } from './icon.tsx'
import { showToast } from './toast.tsx'

export interface MenuItem {
  label: string
  icon?: IconName
  isDanger?: boolean
  /** Does the same. */
  command?: Command
  onSelect: () => void
}

export type MenuItems = readonly (MenuItem | undefined | false)[]

interface MenuProps {
  label: string
  /** A function where there are many menus: it is called when the menu opens, and may load what the items do. */
  items: MenuItems | (() => MenuItems | Promise<MenuItems>)
  trigger: (props: { onClick: () => void; 'aria-haspopup': 'menu'; 'aria-expanded': boolean; id: string }) => ReactNode
}

/** A button that opens a menu. Arrow keys move, Escape closes and gives the focus back. */
export function Menu({ label, items, trigger }: MenuProps) {
  const [shown, setShown] = useState<MenuItems>()
  const isOpen = shown !== undefined
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const close = () => {
    setShown(undefined)
    document.getElementById(id)?.focus()
  }
  const toggle = () => {
    if (isOpen) return setShown(undefined)
    const found = typeof items === 'function' ? items() : items
    if (!(found instanceof Promise)) return setShown(found)
    found.then(setShown, (error: unknown) => showToast({ text: errorText(error), isError: true }))
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
    const hide = () => setShown(undefined)
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
      {trigger({ id, onClick: toggle, 'aria-haspopup': 'menu', 'aria-expanded': isOpen })}
      {isOpen && (
        <div
          ref={list}
          popover="manual"
          className="menu"
          role="menu"
          aria-label={label}
          onKeyDown={(event) => moveFocus(event, close)}
        >
          {shown.filter(isItem).map(({ label: text, icon, isDanger, command, onSelect }) => (
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
              {command && (
                <span className="keys" aria-hidden="true">
                  {keyLabel(keyOf(command))}
                </span>
              )}
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

/** Below the button, or above it where there is more room, with its end, or its start, at that of the button. */
export function placeBeside(menu: HTMLElement, button: DOMRect, isAtStart = false): void {
  const { width, height } = menu.getBoundingClientRect()
  const below = button.bottom + 4
  const top = below + height + margin > window.innerHeight && button.top > height ? button.top - height - 4 : below
  const isRightToLeft = getComputedStyle(menu).direction === 'rtl'
  const left = isAtStart || isRightToLeft ? button.left : button.right - width
  menu.style.top = `${Math.max(margin, Math.min(top, window.innerHeight - height - margin))}px`
  menu.style.left = `${Math.max(margin, Math.min(left, window.innerWidth - width - margin))}px`
}

function moveFocus(event: React.KeyboardEvent<HTMLElement>, close: () => void): void {
  event.stopPropagation()
  if (event.key === 'Escape' || event.key === 'Tab') return close()
  const step = listStep(event.key)
  if (step === undefined) return
  event.preventDefault()
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=menuitem]')]
  const now = items.indexOf(document.activeElement as HTMLElement)
  items[(now + step + items.length) % items.length]?.focus()
}

/** Opens the menu of a row by right click or long press. */
function openMenuInside(event: MouseEvent | React.MouseEvent<HTMLElement>): void {
  const button = (event.currentTarget as HTMLElement).querySelector<HTMLElement>('[aria-haspopup=menu]')
  if (!button) return
  event.preventDefault()
  button.click()
}

/** For the `ref` of a row: its menu also opens by right click and long press. */
export function opensItsMenu(row: HTMLElement | null) {
  row?.addEventListener('contextmenu', openMenuInside)
  return () => row?.removeEventListener('contextmenu', openMenuInside)
}

/** As `opensItsMenu`, but leaves the right click to the browser, for rows whose text can be copied. */
export function openMenuByTouch(event: React.MouseEvent<HTMLElement>): void {
  if ((event.nativeEvent as PointerEvent).pointerType === 'touch') openMenuInside(event)
}
