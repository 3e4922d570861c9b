import { type KeyboardEventHandler, type ReactNode, useLayoutEffect, useRef } from 'react'
import { t } from '../platform/i18n.ts'
import { IconButton } from './button.tsx'

interface DialogProps {
  title: string
  onClose: () => void
  onKeyDown?: KeyboardEventHandler
  children: ReactNode
  look?: string
}

/** A modal dialog: the browser keeps the focus inside and closes it with Escape. The first field gets the focus. */
export function Dialog({ title, onClose, onKeyDown, children, look = '' }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const opened = dialog.current
    opened?.showModal()
    opened?.querySelector<HTMLElement>('input, textarea, select')?.focus()
    return () => opened?.close() // Otherwise, the focus would not go back to where it was.
  }, [])
  return (
    <dialog
      ref={dialog}
      className={`dialog ${look}`}
      aria-label={title}
      onClose={() => dialog.current && onClose()} // removing it closes it too, which needs no notice
      onKeyDown={onKeyDown}
      onClick={(event) => event.target === dialog.current && dialog.current.close()}
    >
      <div className="dialog-body">
        <header>
          <h2>{title}</h2>
          <IconButton label={t('common.close')} icon="x" onClick={() => dialog.current?.close()} />
        </header>
        {children}
      </div>
    </dialog>
  )
}
