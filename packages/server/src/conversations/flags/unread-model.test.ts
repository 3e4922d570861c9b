import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as deletion from '@parley/api/conversations/deletion'
import * as api from '@parley/api/conversations/flags'
import * as messages from '@parley/api/conversations/messages'
import * as subscriptions from '@parley/api/conversations/subscriptions'
import * as topics from '@parley/api/conversations/topics'
import type { UnreadMessages } from '@parley/api/delivery/register'
import * as settings from '@parley/api/people/own-settings'
import fc from 'fast-check'
import { leaves } from '../../testing/channels.ts'
import { edits } from '../../testing/editing.ts'
import { newWorld, type World } from '../../testing/world.ts'

type TestPlace = 'public' | 'protected' | 'direct'
type Channel = Exclude<TestPlace, 'direct'>
type Topic = 'a' | 'b'

type Step =
  | { does: 'send'; place: TestPlace; topic: Topic; own: boolean; read: boolean }
  | { does: 'mark'; op: 'add' | 'remove'; flag: 'read' | 'starred'; which: number[] }
  | { does: 'come'; place: Channel }
  | { does: 'go'; place: Channel }
  | { does: 'delete'; which: number }
  | { does: 'move'; which: number; topic: Topic }
  | { does: 'mute'; place: Channel; muted: boolean }
  | { does: 'decide'; place: Channel; topic: Topic; policy: 0 | 1 | 2 | 3 }

const place = fc.constantFrom<TestPlace>('public', 'protected', 'direct')
const channel = fc.constantFrom('public' as const, 'protected' as const)
const topic = fc.constantFrom('a' as const, 'b' as const)
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('send' as const), place, topic, own: fc.boolean(), read: fc.boolean() }),
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
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('come' as const, 'go' as const), place: channel }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete' as const), which: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('move' as const), which: fc.nat(20), topic }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('mute' as const), place: channel, muted: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('decide' as const),
      place: channel,
      topic,
      policy: fc.constantFrom(0 as const, 1 as const, 2 as const, 3 as const),
    }),
  },
) as fc.Arbitrary<Step>

interface Known {
  id: number
  own: boolean
  place: TestPlace
  topic: Topic
  received: boolean
  unread: boolean
}

/** The expected unread messages of ben, in the simplest model: a flag on every message. */
class Oracle {
  known: Known[] = []
  readonly mutedChannels = new Set<TestPlace>()
  readonly policies = new Map<string, number>()
  readonly subscribed = new Set<TestPlace>(['direct'])

  sent(id: number, { place, topic, own, read }: Extract<Step, { does: 'send' }>): void {
    const received = this.subscribed.has(place)
    this.known.push({ id, own, place, topic, received, unread: received && !(own && read) })
  }

  /** Those of the chosen messages that ben can read, and therefore mark. */
  within(which: number[]): Known[] {
    const readable = this.known.filter(
      ({ place, received }) => place !== 'protected' || (received && this.subscribed.has(place)),
    )
    return [...new Set(which.map((n) => readable[n]))].filter((message) => message !== undefined)
  }

  marked(messages: Known[], op: 'add' | 'remove'): void {
    for (const message of messages) message.unread = op === 'remove' && this.subscribed.has(message.place)
  }

  left(place: TestPlace): void {
    this.subscribed.delete(place)
    for (const message of this.known) if (message.place === place) message.unread = false
  }

  /** Only messages that are not alone in their topic: moving the last message would move the topic's policies too. */
  movable(which: number): Known | undefined {
    const message = this.known[which]
    if (!message || message.place === 'direct') return undefined
    const others = this.known.filter(({ place, topic }) => place === message.place && topic === message.topic)
    return others.length > 1 ? message : undefined
  }

  /** Ben cannot delete his own message in a private channel that he has left. */
  isDeletable({ own, place }: Known): boolean {
    return !own || place !== 'protected' || this.subscribed.has(place)
  }

  isMuted(place: TestPlace, topic: string): boolean {
    const policy = this.policies.get(`${place} ${topic}`) ?? 0
    return policy === 1 || (policy === 0 && this.mutedChannels.has(place))
  }

  get unread(): number[] {
    return this.known.filter(({ unread }) => unread).map(({ id }) => id)
  }
}

function listed({ pms, streams, huddles }: UnreadMessages): number[] {
  return [...pms, ...streams, ...huddles].flatMap(({ unread_message_ids }) => unread_message_ids)
}

class Trial {
  readonly #world: World
  readonly #names: Record<TestPlace, string>
  readonly #channels: Partial<Record<Channel, number>> = {}
  readonly oracle = new Oracle()

  constructor(world: World, run: number) {
    this.#world = world
    this.#names = { public: `public ${run}`, protected: `protected ${run}`, direct: '' }
  }

  async begin(): Promise<void> {
    await this.#come('public')
    await this.#come('protected')
    const { subscriptions: own } = await this.#world.ben.does(subscriptions.getSubscriptions)
    for (const place of ['public', 'protected'] as const)
      this.#channels[place] = own.find(({ name }) => name === this.#names[place])!.stream_id
    // Unread messages of earlier runs and the server's notices would keep the read floors from rising.
    await this.#world.ben.does(api.updateMessageFlags, {
      op: 'add',
      flag: 'read',
      messages: listed(await this.#summary()),
    })
  }

  async take(step: Step): Promise<void> {
    if (step.does === 'send') await this.#send(step)
    else if (step.does === 'mark') await this.#mark(step)
    else if (step.does === 'come') await this.#come(step.place)
    else if (step.does === 'go') await this.#go(step.place)
    else if (step.does === 'delete') await this.#delete(step.which)
    else if (step.does === 'move') await this.#move(step)
    else if (step.does === 'mute') await this.#mute(step.place, step.muted)
    else await this.#decide(step)
  }

  async #send(step: Extract<Step, { does: 'send' }>): Promise<void> {
    const { ann, ben } = this.#world
    const own = step.own && this.oracle.subscribed.has(step.place)
    const sender = own ? ben : ann
    const { place, topic } = step
    const where = place === 'direct' ? { to: [own ? ann : ben] } : { channel: this.#names[place], topic }
    this.oracle.sent(await sender.sends({ ...where, read_by_sender: step.read }), { ...step, own })
  }

  async #mark({ op, flag, which }: Extract<Step, { does: 'mark' }>): Promise<void> {
    const chosen = this.oracle.within(which)
    await this.#world.ben.does(api.updateMessageFlags, { op, flag, messages: chosen.map(({ id }) => id) })
    if (flag === 'read') this.oracle.marked(chosen, op)
  }

  async #come(place: Channel): Promise<void> {
    const { ann, ben } = this.#world
    await ann.does(subscriptions.subscribe, {
      subscriptions: [{ name: this.#names[place] }],
      principals: [ann.id, ben.id],
      invite_only: place === 'protected',
    })
    this.oracle.subscribed.add(place)
  }

  async #go(place: Channel): Promise<void> {
    if (this.oracle.subscribed.has(place)) await leaves(this.#world.ben, this.#names[place])
    this.oracle.left(place)
  }

  async #delete(which: number): Promise<void> {
    const message = this.oracle.known[which]
    if (!message || !this.oracle.isDeletable(message)) return
    const { ann, ben } = this.#world
    await (message.own ? ben : ann).does(deletion.deleteMessage, { path: { message_id: message.id } })
    this.oracle.known = this.oracle.known.filter((one) => one !== message)
  }

  async #move({ which, topic }: Extract<Step, { does: 'move' }>): Promise<void> {
    const message = this.oracle.movable(which)
    if (!message || message.topic === topic) return
    const quietly = { send_notification_to_new_thread: false, send_notification_to_old_thread: false }
    await edits(this.#world.ann, message.id, { topic, propagate_mode: 'change_one', ...quietly })
    message.topic = topic
  }

  async #mute(place: Channel, muted: boolean): Promise<void> {
    if (!this.oracle.subscribed.has(place)) return
    const path = { stream_id: this.#channels[place]! }
    await this.#world.ben.does(subscriptions.updateSubscription, { path, property: 'is_muted', value: muted })
    if (muted) this.oracle.mutedChannels.add(place)
    else this.oracle.mutedChannels.delete(place)
  }

  async #decide({ place, topic, policy }: Extract<Step, { does: 'decide' }>): Promise<void> {
    if (!this.oracle.subscribed.has(place)) return
    const stream_id = this.#channels[place]!
    await this.#world.ben.does(topics.setTopicPolicy, { stream_id, topic, visibility_policy: policy })
    this.oracle.policies.set(`${place} ${topic}`, policy)
  }

  /** Each message is listed in its topic, and muted messages are not counted. */
  #checkSums({ count, pms, huddles, streams }: UnreadMessages): void {
    const placeOf = (id: number) => (['public', 'protected'] as const).find((place) => this.#channels[place] === id)
    let expected = [...pms, ...huddles].reduce((sum, { unread_message_ids }) => sum + unread_message_ids.length, 0)
    for (const { stream_id, topic, unread_message_ids } of streams) {
      const place = placeOf(stream_id)
      if (!place || !this.oracle.isMuted(place, topic)) expected += unread_message_ids.length
      for (const { id, ...known } of this.oracle.known)
        if (unread_message_ids.includes(id)) assert.deepEqual([known.place, known.topic], [place, topic])
    }
    assert.equal(count, expected)
  }

  /** The snapshot, the narrow is:unread and the flags of the messages must all agree with the model. */
  async check(): Promise<void> {
    const known = new Set(this.oracle.known.map(({ id }) => id))
    const expected = this.oracle.unread
    const only = (ids: number[]) => ids.filter((id) => known.has(id)).sort((a, b) => a - b)
    const summary = await this.#summary()
    this.#checkSums(summary)
    assert.deepEqual(only(listed(summary)), expected)
    assert.deepEqual(only(await this.#narrow([['is', 'unread']])), expected)
    assert.deepEqual(only(await this.#unflagged([...known])), expected)
    await this.#checkAnchors()
  }

  /** A client that opens a conversation, or everything, begins at the first message that is neither read nor muted. */
  async #checkAnchors(): Promise<void> {
    const unread = this.oracle.known.filter(({ unread, place, topic }) => unread && !this.oracle.isMuted(place, topic))
    await this.#checkAnchor([], unread)
    for (const place of ['public', 'protected'] as const) {
      if (!this.oracle.subscribed.has(place)) continue
      const inChannel = unread.filter((message) => message.place === place)
      await this.#checkAnchor([['channel', this.#names[place]]], inChannel)
      for (const topic of ['a', 'b'] as const) {
        const narrow: messages.NarrowTerm[] = [
          ['channel', this.#names[place]],
          ['topic', topic],
        ]
        await this.#checkAnchor(
          narrow,
          inChannel.filter((message) => message.topic === topic),
        )
      }
    }
  }

  async #checkAnchor(narrow: messages.NarrowTerm[], [first]: Known[]): Promise<void> {
    const { anchor } = await this.#world.ben.does(messages.getMessages, { anchor: 'first_unread', narrow })
    const expected = first?.id ?? messages.largestAnchor
    const isNotice = anchor! < expected && !this.oracle.known.some(({ id }) => id === anchor)
    if (narrow.length > 0 || !isNotice) assert.equal(anchor, expected, JSON.stringify(narrow))
  }

  async #summary(): Promise<UnreadMessages> {
    const fetch_event_types = ['message', 'update_message_flags']
    return (await this.#world.ben.registers({ fetch_event_types })).unread_msgs!
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

test('unread messages match a model with a flag per message, whatever is sent, moved, marked, muted, deleted or subscribed to', async () => {
  const world = await newWorld()
  // Only the steps set topic policies for ben.
  const never = {
    automatically_follow_topics_policy: 4,
    automatically_unmute_topics_in_muted_streams_policy: 4,
  } as const
  await world.ben.does(settings.updateSettings, { ...never, automatically_follow_topics_where_mentioned: false })
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 18 }), async (steps) => {
      const trial = new Trial(world, run++)
      await trial.begin()
      for (const step of steps) await trial.take(step)
      await trial.check()
    }),
    { numRuns: 50 },
  )
})
