import type { QueueEvent } from '@parley/api/events'
import type { Destination } from '@parley/client/session/outbox'
import type { Session } from '@parley/client/session/session'
import type { Store } from '@parley/client/store/store'
import type { Caller } from '@parley/client/wire/calls'
import { ConnectionError } from '@parley/client/wire/errors'
import { accountIn } from '../../session/account.ts'
import {
  afterRemoval,
  afterUpdate,
  asSaved,
  fromServer,
  type LocalDraft,
  nextStep,
  slotOf,
  wireDraft,
  withoutId,
} from './draft-model.ts'

type TextStorage = Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>

export interface DraftDeps {
  client: Caller
  store: () => Store
  storage: TextStorage
  /** Runs work of one tab at a time, so that two tabs do not store the same draft twice. */
  exclusively: (work: () => Promise<void>) => Promise<void>
}

export interface DraftEntry {
  slot: string
  draft: LocalDraft
}

const saveAfter = 2000
const retryAfter = 15_000

/** Drafts by composer: on this device with every change, on the server two seconds later. */
export class DraftBox {
  readonly #deps: DraftDeps
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>()
  readonly #listeners = new Set<(slot: string | undefined) => void>()
  #queue: Promise<void> = Promise.resolve()

  constructor(deps: DraftDeps) {
    this.#deps = deps
  }

  /** Calls the listener with the composer whose draft changed elsewhere, or was stored; undefined for any. */
  readonly subscribe = (listener: (slot: string | undefined) => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  read(slot: string): LocalDraft | undefined {
    return this.#local(slot) ?? this.#unclaimed().find((one) => one.slot === slot)?.draft
  }

  write(slot: string, to: Destination, text: string, isAnnounced = false): void {
    const known = this.read(slot)
    if (text === (known?.text ?? '') && (!known || slotOf(known.to) === slotOf(to))) return
    this.#keep(slot, { ...known, to, text, at: Math.floor(Date.now() / 1000) })
    this.#syncAfter(slot, saveAfter)
    if (isAnnounced) this.#announce(slot)
  }

  /** The draft goes where its conversation went. A text that is already there comes first. */
  move(from: string, to: Destination): void {
    const slot = slotOf(to)
    const draft = this.read(from)
    if (!draft || draft.text.trim() === '' || slot === from) return
    const there = this.read(slot)
    const isFree = !there || there.text.trim() === ''
    this.#keep(slot, isFree ? { ...draft, to } : { ...there, text: `${there.text}\n\n${draft.text}` })
    // Empty, so that a request that is under way finds it.
    this.#keep(from, { ...(isFree ? withoutId(draft) : draft), text: '' })
    for (const one of [slot, from]) this.#syncAfter(one, 0)
    this.#announce(slot)
  }

  /** Forgets a draft because it was sent or discarded. */
  remove({ slot, draft }: DraftEntry): void {
    if (this.read(slot)?.id !== draft.id) return void this.#removeOther(draft)
    this.#keep(slot, { ...draft, text: '' })
    this.#syncAfter(slot, 0)
    this.#announce(slot)
  }

  /** The server may have several drafts for one conversation. */
  async #removeOther({ id }: LocalDraft): Promise<void> {
    await this.#deps.client.call('deleteDraft', { path: { draft_id: id! } }).catch(() => {}) // it stays in the list
  }

  /** All drafts, the latest first: those of this device, and those that only the server has. */
  list(): DraftEntry[] {
    const local = this.#slots().map((slot) => ({ slot, draft: this.#local(slot)! }))
    return [...local.filter(({ draft }) => draft.text.trim() !== ''), ...this.#unclaimed()].sort(
      (a, b) => b.draft.at - a.draft.at,
    )
  }

  /** Compares with the server's drafts after a registration. */
  start(): void {
    const { byId } = this.#deps.store().drafts
    for (const slot of this.#slots()) {
      const draft = this.#local(slot)!
      if (draft.id !== undefined && !byId.has(draft.id)) this.#keep(slot, afterRemoval(draft))
    }
    for (const draft of byId.values()) this.#changed(draft.id)
    for (const slot of this.#slots()) this.#syncAfter(slot, 0)
  }

  apply(event: QueueEvent): void {
    if (event.type === 'update_message') this.#topicMoved(event)
    if (event.type !== 'drafts') return
    if (event.op === 'add') for (const { id } of event.drafts) this.#changed(id)
    if (event.op === 'update') this.#changed(event.draft.id)
    if (event.op === 'remove') this.#removed(event.draft_id)
  }

  #topicMoved({
    propagate_mode,
    stream_id,
    orig_subject,
    ...to
  }: Extract<QueueEvent, { type: 'update_message' }>): void {
    if (propagate_mode !== 'change_all' || stream_id === undefined || orig_subject === undefined) return
    const place = { stream_id: to.new_stream_id ?? stream_id, topic: to.subject ?? orig_subject }
    this.move(slotOf({ stream_id, topic: orig_subject }), place)
  }

  #changed(id: number): void {
    const server = fromServer(this.#deps.store().drafts.byId.get(id)!)
    const slot = this.#slotWith(id)
    if (!server) return
    if (slot === undefined) return this.#adopt(server)
    this.#keep(slot, afterUpdate(this.#local(slot)!, server))
    this.#announce(slot)
  }

  /** A draft for the same conversation becomes the same draft, instead of a second one. */
  #adopt(server: LocalDraft): void {
    const slot = slotOf(server.to)
    const draft = this.#local(slot)
    if (draft && draft.id === undefined && draft.text.trim() !== '')
      this.#keep(slot, { ...draft, id: server.id!, saved: server.saved! })
    this.#announce(slot)
  }

  #removed(id: number): void {
    const slot = this.#slotWith(id)
    if (slot !== undefined) this.#keep(slot, afterRemoval(this.#local(slot)!))
    this.#announce(slot)
  }

  #syncAfter(slot: string, delay: number): void {
    clearTimeout(this.#timers.get(slot))
    this.#timers.set(
      slot,
      setTimeout(() => this.#enqueue(slot), delay),
    )
  }

  /** One after the other: a draft that is discarded while it is being created has to be deleted afterwards. */
  #enqueue(slot: string): void {
    this.#queue = this.#queue
      .then(() => this.#deps.exclusively(() => this.#sync(slot)))
      .catch((error: unknown) => this.#failed(slot, error))
  }

  async #sync(slot: string): Promise<void> {
    const draft = this.#local(slot)
    if (!draft) return
    if (this.#deps.store().preferences.get('enable_drafts_synchronization') === false)
      return this.#tidy(slot, withoutId(draft))
    const { client } = this.#deps
    const step = nextStep(draft)
    if (step === 'create') {
      const { ids } = await client.call('createDrafts', { drafts: [wireDraft(draft)] })
      this.#stored(slot, asSaved(draft, ids[0]!))
    }
    if (step === 'edit') {
      await client.call('editDraft', { path: { draft_id: draft.id! }, draft: wireDraft(draft) })
      this.#stored(slot, asSaved(draft, draft.id!))
    }
    if (step === 'delete') {
      await client.call('deleteDraft', { path: { draft_id: draft.id! } })
      this.#stored(slot, withoutId(draft))
    }
    this.#tidy(slot, this.#local(slot))
  }

  /** What was typed while the request was under way is stored next. */
  #stored(slot: string, { id, saved }: LocalDraft): void {
    const now = this.#local(slot)
    if (!now) return
    this.#keep(slot, { ...withoutId(now), ...(id !== undefined && { id, saved: saved! }) })
    if (nextStep(this.#local(slot)!)) this.#syncAfter(slot, saveAfter)
    this.#announce(slot)
  }

  #failed(slot: string, error: unknown): void {
    if (error instanceof ConnectionError) return this.#syncAfter(slot, retryAfter)
    const draft = this.#local(slot)
    // The server does not have it any more.
    if (draft?.id === undefined) return
    this.#keep(slot, withoutId(draft))
    this.#syncAfter(slot, saveAfter)
  }

  #tidy(slot: string, draft: LocalDraft | undefined): void {
    if (draft?.id === undefined && draft?.text.trim() === '') this.#keep(slot, undefined)
  }

  /** Drafts of the server that no composer of this device has changed yet. */
  #unclaimed(): DraftEntry[] {
    const claimed = new Set(this.#slots().map((slot) => this.#local(slot)?.id))
    return this.#deps
      .store()
      .drafts.snapshot()
      .drafts.filter(({ id }) => !claimed.has(id))
      .map(fromServer)
      .filter((draft) => draft !== undefined)
      .map((draft) => ({ slot: slotOf(draft.to), draft }))
  }

  #slotWith(id: number): string | undefined {
    return this.#slots().find((slot) => this.#local(slot)?.id === id)
  }

  /** Per user: others may sign in with the same browser. */
  get #prefix(): string {
    return `parley draft ${this.#deps.store().settings.user_id} `
  }

  #slots(): string[] {
    const prefix = this.#prefix
    const names = Array.from({ length: this.#deps.storage.length }, (_, index) => this.#deps.storage.key(index) ?? '')
    return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length))
  }

  #local(slot: string): LocalDraft | undefined {
    const text = this.#deps.storage.getItem(this.#prefix + slot)
    return text === null ? undefined : JSON.parse(text)
  }

  #keep(slot: string, draft: LocalDraft | undefined): void {
    if (draft) this.#deps.storage.setItem(this.#prefix + slot, JSON.stringify(draft))
    else this.#deps.storage.removeItem(this.#prefix + slot)
  }

  #announce(slot: string | undefined): void {
    for (const listener of [...this.#listeners]) listener(slot)
  }
}

/** For shared computers, on which nothing may stay. Drafts are still stored on the server. */
export class MemoryStorage implements TextStorage {
  readonly #texts = new Map<string, string>()
  get length(): number {
    return this.#texts.size
  }
  key(index: number): string | null {
    return [...this.#texts.keys()][index] ?? null
  }
  getItem(name: string): string | null {
    return this.#texts.get(name) ?? null
  }
  setItem(name: string, text: string): void {
    this.#texts.set(name, text)
  }
  removeItem(name: string): void {
    this.#texts.delete(name)
  }
}

const boxes = new WeakMap<Session, DraftBox>()

/** The drafts of a session, kept in step with its events. */
export function draftsOf(session: Session): DraftBox {
  const known = boxes.get(session)
  if (known) return known
  const box = new DraftBox({
    client: session.client,
    store: () => session.store!,
    storage: accountIn(document.cookie) === undefined ? new MemoryStorage() : localStorage,
    // Browsers offer locks only on HTTPS and on localhost.
    exclusively: (work) => navigator.locks?.request('parley-drafts', work) ?? work(),
  })
  boxes.set(session, box)
  session.onEvent((event) => box.apply(event))
  startWithQueue(session, box)
  return box
}

function startWithQueue(session: Session, box: DraftBox): void {
  let queueId: string | undefined
  const check = () => {
    // What was stored earlier may lack drafts that exist.
    if (session.queueId === queueId || !session.isCurrent) return
    queueId = session.queueId
    box.start()
  }
  session.changes.subscribe(check)
  check()
}
