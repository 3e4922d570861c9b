import { useEffect, useRef } from 'react'
import { type Command, commandsOf, keyName } from './keys.ts'

/** Returns false if it did not apply after all. */
type Handler = () => unknown
export type Handlers = Partial<Record<Command, Handler>>

/** What is shown now; the latest comes first. */
const active: { current: Handlers }[] = []

/** Handles commands while the component is shown. Components shown later take precedence. */
export function useCommands(handlers: Handlers, isOn = true): void {
  const latest = useRef(handlers)
  latest.current = handlers
  useEffect(() => {
    if (!isOn) return
    active.unshift(latest)
    return () => void active.splice(active.indexOf(latest), 1)
  }, [isOn])
}

/** Whether something handled the command. */
export function runCommand(command: Command): boolean {
  return active.some(({ current }) => {
    const handler = current[command]
    return handler !== undefined && handler() !== false
  })
}

/** Keys that also work while one types. In a dialog, the browser searches. */
export function isEverywhere(key: string): boolean {
  return key === 'Ctrl+k' || (key === 'Ctrl+f' && !document.querySelector('dialog:modal'))
}

const textFields = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]'

/** Listens to the keys of the table. Text fields, menus and dialogs keep their keys, except those with Ctrl K. */
export function useKeys(): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const key = keyName(event)
      const target = event.target as HTMLElement
      // Also when what had the focus in a dialog is gone, as a button that retries.
      const isBusy = (target.closest(`${textFields}, [role=menu]`) ?? document.querySelector('dialog:modal')) !== null
      if (event.defaultPrevented || event.isComposing || (isBusy && !isEverywhere(key))) return
      // Buttons and links are operated with Enter and Space.
      if ((key === 'Enter' || key === ' ') && target.closest('a, button, summary, [role=switch]')) return
      if (commandsOf(key).some(runCommand)) event.preventDefault()
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [])
}
