import type { ShownMessage } from '@parley/client/messages/cache'
import type { Session } from '@parley/client/session/session'
import { deletedIds } from '@parley/client/store/state'
import { useSyncExternalStore } from 'react'
import { t } from '../platform/i18n.ts'
import { accountIn } from '../session/account.ts'
import { useSession } from '../session/context.tsx'
import { showToast } from '../ui/toast.tsx'
import { keepAsDraft } from './actions.ts'

interface Edit {
  message: ShownMessage
  /** What the message says now, once that is known. */
  source: string | undefined
  text: string | undefined
}

/** Edits that are neither saved nor cancelled. They outlive the rows of the feed, and the page if they can be stored. */
export class UnsavedEdits {
  readonly #stored: EditStorage | undefined
  readonly #edits = new Map<number, Edit>()
  readonly #listeners = new Set<() => void>()

  constructor(stored?: EditStorage) {
    this.#stored = stored
    for (const edit of stored?.list() ?? []) this.#edits.set(edit.message.id, edit)
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  get(id: number): Edit | undefined {
    return this.#edits.get(id)
  }

  start(message: ShownMessage): void {
    if (!this.#edits.has(message.id)) this.#set(message.id, { message, source: message.source, text: message.source })
  }

  /** The text that is being edited, unless something was typed already. */
  load(id: number, source: string): void {
    const edit = this.#edits.get(id)
    if (edit) this.#set(id, { ...edit, source, text: edit.text ?? source })
  }

  write(id: number, text: string): void {
    const edit = this.#edits.get(id)
    if (edit) this.#set(id, { ...edit, text })
  }

  end(id: number): void {
    this.#set(id, undefined)
  }

  /** Ends an edit without saving. What was typed can be brought back. */
  cancel(id: number): void {
    const edit = this.#edits.get(id)
    this.end(id)
    if (edit && isChanged(edit)) showToast({ text: t('message.editDiscarded'), undo: () => this.#set(id, edit) })
  }

  /** Takes the edits of messages that were deleted. */
  take(ids: readonly number[]): Edit[] {
    const edits = ids.map((id) => this.#edits.get(id)).filter((one) => one !== undefined)
    for (const { message } of edits) this.end(message.id)
    return edits.filter(isChanged)
  }

  #set(id: number, edit: Edit | undefined): void {
    if (edit) this.#edits.set(id, edit)
    else this.#edits.delete(id)
    this.#stored?.keep(id, edit && isChanged(edit) ? edit : undefined)
    for (const listener of [...this.#listeners]) listener()
  }
}

function isChanged({ source, text }: Edit): boolean {
  return text !== undefined && text.trim() !== '' && text !== source
}

/** Edits on this device. Per user: others may sign in with the same browser. */
class EditStorage {
  readonly #prefix: string

  constructor(userId: number) {
    this.#prefix = `parley edit ${userId} `
  }

  list(): Edit[] {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(this.#prefix))
    return names.map((name) => JSON.parse(localStorage.getItem(name)!))
  }

  keep(id: number, edit: Edit | undefined): void {
    if (edit) localStorage.setItem(this.#prefix + id, JSON.stringify(edit))
    else localStorage.removeItem(this.#prefix + id)
  }
}

const all = new WeakMap<Session, UnsavedEdits>()

export function unsavedEditsOf(session: Session): UnsavedEdits {
  const known = all.get(session)
  if (known) return known
  // Nothing may stay on shared computers.
  const isStored = accountIn(document.cookie) !== undefined
  const edits = new UnsavedEdits(isStored ? new EditStorage(session.viewerId) : undefined)
  all.set(session, edits)
  session.onEvent((event) => {
    if (event.type !== 'delete_message') return
    for (const { message, text } of edits.take(deletedIds(event))) void keepDeleted(session, message, text!)
  })
  return edits
}

async function keepDeleted(session: Session, message: ShownMessage, text: string): Promise<void> {
  const reason = t('message.wasDeleted')
  const isKept = await keepAsDraft(session, message, text)
  showToast({ text: isKept ? t('message.editKept', { reason }) : reason, isError: true })
}

/** The edit of a message that the viewer has started. */
export function useUnsavedEdit(id: number): Edit | undefined {
  const edits = unsavedEditsOf(useSession())
  return useSyncExternalStore(edits.subscribe, () => edits.get(id))
}
