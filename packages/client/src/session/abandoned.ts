import type { LocalChange } from '../messages/local-events.ts'
import type { TabPort } from '../wire/tab-feed.ts'
import type { Changes } from './changes.ts'
import { type Deliveries, type Delivery, DeliveryExpired, newKey } from './deliveries.ts'
import type { SendDelivery } from './outbox.ts'
import type { SessionStorage } from './saved-session.ts'

export interface AbandonedDeps {
  readonly deliveries: Deliveries
  readonly changes: Changes
  readonly outbox: { restore(delivery: SendDelivery): void }
  showLocally(event: LocalChange['now']): void
}

/** For deliveries that show nothing before the server answers. */
const nothing: LocalChange = { now: { type: 'heartbeat', id: -1 }, back: { type: 'heartbeat', id: -1 } }

/** A message that has not reached the server. */
function isSend(delivery: Delivery): delivery is SendDelivery {
  return delivery.message !== undefined
}

/** Deliveries of tabs that were closed before the server answered, also of earlier starts. This tab continues them. */
export class AbandonedDeliveries {
  /** Changes that waited for so long that they are not sent without asking. */
  expired: readonly Delivery[] = []
  readonly #session: AbandonedDeps
  readonly #storage: SessionStorage
  readonly #tabs: Pick<TabPort, 'whenGone'>
  readonly #met = new Set<string>()

  constructor(session: AbandonedDeps, { storage, tabs }: { storage: SessionStorage; tabs: Pick<TabPort, 'whenGone'> }) {
    this.#session = session
    this.#storage = storage
    this.#tabs = tabs
  }

  /** Continues the deliveries of all other tabs, each when it is gone. */
  async meetAll(): Promise<void> {
    for (const tab of (await this.#read()).keys()) this.meet(tab)
  }

  meet(tab: string): void {
    if (this.#met.has(tab)) return
    this.#met.add(tab)
    void this.#adopt(tab)
  }

  /** Sends or drops what has expired. */
  settle(isSent: boolean): void {
    const { deliveries, changes } = this.#session
    for (const delivery of this.expired) {
      deliveries.forget(delivery.key)
      const again = { ...delivery, key: newKey(), at: Date.now() }
      if (isSent) void this.#deliver(again, () => deliveries.resume(again))
    }
    this.expired = []
    changes.changed()
  }

  async #read(): Promise<Map<string, Delivery[]>> {
    return this.#storage.othersDeliveries().catch(() => new Map())
  }

  async #adopt(tab: string): Promise<void> {
    await this.#tabs.whenGone(tab)
    const left = (await this.#read()).get(tab) ?? []
    for (const delivery of left.toSorted((a, b) => a.at - b.at)) {
      if (isSend(delivery)) this.#session.outbox.restore(delivery)
      else void this.#redeliver(delivery)
    }
  }

  async #redeliver(delivery: Delivery): Promise<void> {
    const error = await this.#deliver(delivery, () => this.#session.deliveries.resume(delivery))
    if (!(error instanceof DeliveryExpired)) return
    this.expired = [...this.expired, delivery]
    this.#session.changes.changed()
  }

  /** Returns the error if it failed. */
  async #deliver({ change = nothing }: Pick<Delivery, 'change'>, work: () => Promise<unknown>): Promise<unknown> {
    this.#session.showLocally(change.now)
    try {
      await work()
      return undefined
    } catch (error) {
      this.#session.showLocally(change.back)
      return error
    }
  }
}
