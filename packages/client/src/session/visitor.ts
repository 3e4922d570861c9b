import type { OpenMessageObject } from '@parley/api/conversations/open-channels'
import { lookup } from '@parley/api/lookup'
import type { ShownMessage } from '../messages/cache.ts'
import { channelOf, type Narrow } from '../messages/narrow.ts'
import type { CallArguments, CallName, CallParams, CallResponse } from '../wire/calls.ts'
import { type ClientOptions, ParleyClient } from '../wire/client.ts'
import { ParleyError } from '../wire/errors.ts'
import type { RegisterResponse, StateOrEvent } from '../wire/events.ts'

type Answer<Name extends CallName> = Promise<CallResponse<Name>>
type Organization = CallResponse<'getOpenChannels'>

/**
 * Reads open channels without an account, in the form in which a signed-in client reads all. Nothing else can be called,
 * and there are no events.
 */
export class VisitorClient extends ParleyClient {
  readonly #open: Organization

  private constructor(options: ClientOptions, open: Organization) {
    super(options)
    this.#open = open
  }

  /** Throws if the organization has no open channels. */
  static async start(options: ClientOptions): Promise<VisitorClient> {
    return new VisitorClient(options, await new ParleyClient(options).call('getOpenChannels'))
  }

  get channelIds(): number[] {
    return this.#open.channels.map(({ stream_id }) => stream_id)
  }

  override async *events({ signal }: { signal?: AbortSignal | undefined } = {}): AsyncGenerator<StateOrEvent> {
    yield { state: stateOf(this.#open) }
    await new Promise((resolve) => signal?.addEventListener('abort', resolve))
  }

  override call<Name extends CallName>(name: Name, ...args: CallArguments<Name>): Answer<Name> {
    const [params] = args as [CallParams<Name>]
    const answer = lookup(this.#answers, name) as ((params: CallParams<Name>) => Answer<Name>) | undefined
    if (answer) return answer(params)
    const error = { msg: 'Sign in to do this.', code: 'UNAUTHORIZED', result: 'error' as const }
    return Promise.reject(new ParleyError(401, error))
  }

  readonly #answers = {
    getMessages: (params: CallParams<'getMessages'>) => this.#messages(params),
    getTopics: ({ path }: CallParams<'getTopics'>) => super.call('getOpenTopics', { path }),
  }

  async #messages({ narrow, anchor, num_before = 0, num_after = 0 }: CallParams<'getMessages'>): Answer<'getMessages'> {
    const terms = (narrow ?? []) as Narrow
    const stream_id = channelOf(terms) ?? 0
    const topic = terms.find(({ operator }) => operator === 'topic')?.operand
    const { messages, ...found } = await super.call('getOpenMessages', {
      path: { stream_id },
      anchor: typeof anchor === 'number' || anchor === 'oldest' ? anchor : 'newest',
      num_before: Math.min(num_before, 100),
      num_after: Math.min(num_after, 100),
      ...(topic !== undefined && { topic: String(topic) }),
    })
    const name = this.#open.channels.find((one) => one.stream_id === stream_id)?.name ?? ''
    const shown = messages.map((message) => messageOf(message, stream_id, name))
    const at = typeof anchor === 'number' ? { anchor } : {}
    return { messages: shown, ...found, ...at, found_anchor: true, history_limited: false }
  }
}

/** A message as members get it, without what visitors do not learn. */
function messageOf(message: OpenMessageObject, stream_id: number, channel: string): ShownMessage {
  return {
    ...message,
    type: 'stream',
    stream_id,
    display_recipient: channel,
    recipient_id: 0,
    sender_email: '',
    sender_realm_str: '',
    avatar_url: null,
    client: '',
    content_type: 'text/html',
    topic_links: [],
    reactions: [],
    submessages: [],
    flags: ['read'],
  }
}

/** Visitors see the open channels as if they were subscribed, and hold no permission. */
function stateOf({ realm_name, channels }: Organization): RegisterResponse {
  const subscriptions = channels.map(({ description, ...channel }) => ({
    ...channel,
    rendered_description: description,
    invite_only: false,
    is_web_public: true,
    history_public_to_subscribers: true,
  }))
  return { realm_name, subscriptions, queue_id: '', last_event_id: -1 } as unknown as RegisterResponse
}
