import { type KeyboardEventHandler, type ReactNode, useLayoutEffect, useRef } from 'react'
import { placeBeside } from './menu.tsx'

interface PopoverProps {
  label: string
  look?: string
  /** The button that it belongs to. */
  anchor: () => Element | null | undefined
  onClose: () => void
  onKeyDown?: KeyboardEventHandler<HTMLElement>
  children: ReactNode
}

/**
 * A small window at the button that opened it. A click elsewhere or Escape closes it, and the focus goes back; its first
 * field, or else button or the window itself, gets the focus, and its keys are its own.
 */
export function Popover({ label, look = '', anchor, onClose, onKeyDown, children }: PopoverProps) {
  const box = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is placed once, where it was opened.
  useLayoutEffect(() => {
    const opened = box.current!
    opened.showPopover()
    const place = anchor()?.getBoundingClientRect()
    if (place) placeBeside(opened, place, place.left < window.innerWidth / 2)
    const first = opened.querySelector<HTMLElement>('input') ?? opened.querySelector<HTMLElement>('button, a') ?? opened
    first.focus({ preventScroll: true })
    return () => opened.hidePopover() // Otherwise, the focus would not go back to where it was.
  }, [])
  return (
    <div
      ref={box}
      popover="auto"
      role="dialog"
      tabIndex={-1}
      aria-label={label}
      className={`popover ${look}`}
      onKeyDown={(event) => {
        event.stopPropagation()
        onKeyDown?.(event)
      }}
      onToggle={({ newState }) => newState === 'closed' && box.current && onClose()}
    >
      {children}
    </div>
  )
}
