import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/flags'
import * as messages from '@parley/api/messages'
import type { UnreadMessages } from '@parley/api/register'
import * as subscriptions from '@parley/api/subscriptions'
import fc from 'fast-check'
import { leaves } from '../testing/channels.ts'
import { newWorld, type World } from '../testing/world.ts'

type Place = 'public' | 'protected' | 'direct'

type Step =
  | { does: 'send'; place: Place; own: boolean; read: boolean }
  | { does: 'mark'; op: 'add' | 'remove'; flag: 'read' | 'starred'; which: number[] }
  | { does: 'come' | 'go'; place: 'public' | 'protected' }

const place = fc.constantFrom<Place>('public', 'protected', 'direct')
const channel = fc.constantFrom('public' as const, 'protected' as const)
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('send' as const), place, own: fc.boolean(), read: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('mark' as const),
      op: fc.constantFrom('add' as const, 'remove' as const),
      flag: fc.constantFrom('read' as const, 'read' as const, 'starred' as const),
      which: fc.array(fc.nat(20), { maxLength: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom('come' as const, 'go' as const), place: channel }) },
) as fc.Arbitrary<Step>

interface Known {
  id: number
  place: Place
  received: boolean
  unread: boolean
}

/** What ben should see as unread, kept in the simplest way there is: a mark on every message. */
class Oracle {
  readonly known: Known[] = []
  readonly subscribed = new Set<Place>(['direct'])

  sent(id: number, { place, own, read }: Extract<Step, { does: 'send' }>): void {
    const received = this.subscribed.has(place)
    this.known.push({ id, place, received, unread: received && !(own && read) })
  }

  /** Messages that ben may mark at all. */
  within(which: number[]): Known[] {
    const readable = this.known.filter(
      ({ place, received }) => place !== 'protected' || (received && this.subscribed.has(place)),
    )
    return [...new Set(which.map((n) => readable[n]))].filter((message) => message !== undefined)
  }

  marked(messages: Known[], op: 'add' | 'remove'): void {
    for (const message of messages) message.unread = op === 'remove' && this.subscribed.has(message.place)
  }

  left(place: Place): void {
    this.subscribed.delete(place)
    for (const message of this.known) if (message.place === place) message.unread = false
  }

  get unread(): number[] {
    return this.known.filter(({ unread }) => unread).map(({ id }) => id)
  }
}

class Trial {
  readonly #world: World
  readonly #names: Record<Place, string>
  readonly oracle = new Oracle()

  constructor(world: World, run: number) {
    this.#world = world
    this.#names = { public: `public ${run}`, protected: `protected ${run}`, direct: '' }
  }

  async begin(): Promise<void> {
    await this.#come('public')
    await this.#come('protected')
    // What is left from before, and the server's notices, would keep every floor where it is.
    await this.#world.ben.does(api.updateMessageFlags, { op: 'add', flag: 'read', messages: await this.#snapshot() })
  }

  async take(step: Step): Promise<void> {
    if (step.does === 'send') await this.#send(step)
    else if (step.does === 'mark') await this.#mark(step)
    else if (step.does === 'come') await this.#come(step.place)
    else await this.#go(step.place)
  }

  async #send(step: Extract<Step, { does: 'send' }>): Promise<void> {
    const { ann, ben } = this.#world
    const own = step.own && this.oracle.subscribed.has(step.place)
    const sender = own ? ben : ann
    const where = step.place === 'direct' ? { to: [own ? ann : ben] } : { channel: this.#names[step.place] }
    this.oracle.sent(await sender.sends({ ...where, read_by_sender: step.read }), { ...step, own })
  }

  async #mark({ op, flag, which }: Extract<Step, { does: 'mark' }>): Promise<void> {
    const chosen = this.oracle.within(which)
    await this.#world.ben.does(api.updateMessageFlags, { op, flag, messages: chosen.map(({ id }) => id) })
    if (flag === 'read') this.oracle.marked(chosen, op)
  }

  async #come(place: Place): Promise<void> {
    const { ann, ben } = this.#world
    await ann.does(subscriptions.subscribe, {
      subscriptions: [{ name: this.#names[place] }],
      principals: [ann.id, ben.id],
      invite_only: place === 'protected',
    })
    this.oracle.subscribed.add(place)
  }

  async #go(place: Place): Promise<void> {
    if (this.oracle.subscribed.has(place)) await leaves(this.#world.ben, this.#names[place])
    this.oracle.left(place)
  }

  /** Unread by the snapshot, by narrowing, and by the messages' own flags: always the same. */
  async check(): Promise<void> {
    const known = new Set(this.oracle.known.map(({ id }) => id))
    const expected = this.oracle.unread
    const only = (ids: number[]) => ids.filter((id) => known.has(id)).sort((a, b) => a - b)
    assert.deepEqual(only(await this.#snapshot()), expected)
    assert.deepEqual(only(await this.#narrow([['is', 'unread']])), expected)
    assert.deepEqual(only(await this.#unflagged([...known])), expected)
  }

  async #snapshot(): Promise<number[]> {
    const fetch_event_types = ['message', 'update_message_flags']
    const { unread_msgs } = (await this.#world.ben.listens({ fetch_event_types })) as unknown as {
      unread_msgs: UnreadMessages
    }
    const { pms, streams, huddles } = unread_msgs
    return [...pms, ...streams, ...huddles].flatMap(({ unread_message_ids }) => unread_message_ids)
  }

  async #narrow(narrow: messages.NarrowTerm[]): Promise<number[]> {
    const found = await this.#world.ben.does(messages.getMessages, { anchor: 'newest', num_before: 1000, narrow })
    return found.messages.map(({ id }) => id)
  }

  async #unflagged(message_ids: number[]): Promise<number[]> {
    const found = await this.#world.ben.does(messages.getMessages, { message_ids })
    return found.messages.filter(({ flags }) => !flags.includes('read')).map(({ id }) => id)
  }
}

test('whatever is sent, marked, joined and left, what is unread is what a mark on every message would say', async () => {
  const world = await newWorld()
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 14 }), async (steps) => {
      const trial = new Trial(world, run++)
      await trial.begin()
      for (const step of steps) await trial.take(step)
      await trial.check()
    }),
    { numRuns: 50 },
  )
})
