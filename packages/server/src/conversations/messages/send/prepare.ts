import { topicLinks } from '@parley/markdown/references/topic-links'
import type { Rendered } from '@parley/markdown/render'
import { apiEmail } from '../../../callers/api-email.ts'
import { fakeDomain, type Realm } from '../../../callers/realm-state.ts'
import { type ComposedMessage, toJson } from '../../../events/event-json.ts'
import type { Audience, Personal } from '../../../events/log.ts'
import { unknownUser } from '../../../people/users/queries.ts'
import { avatarUrl, hasPublicGravatar, type UserRow } from '../../../people/users/user-object.ts'
import { flagBits } from '../model/flag-bits.ts'
import { isMeMessage, topicKey } from '../model/normalize-text.ts'
import type { Submessage } from '../model/submessages.ts'
import type { Attention } from './attention.ts'
import type { PreparedMessage } from './committer.ts'
import type { Destination } from './destination.ts'
import type { Mentioned } from './mentions.ts'
import type { NoticeMode } from './notice-mode.ts'

export interface Draft {
  realm: Realm
  sender: UserRow
  destination: Destination
  content: string
  rendered: Rendered
  mentioned: Mentioned
  attention: Attention
  client: string
  readBySender: boolean
  /** Null for notices, which need no permission. */
  accessVersion: number | null
  echo?: { queue_id: string; local_id: string } | undefined
  /** The claim of a request with an Idempotency-Key. */
  claimId?: number | undefined
  /** Guests who receive it and cannot see its sender. */
  strangers?: number[]
  /** Present for polls, to-do lists and other widgets. */
  widget?: Submessage | undefined
  /** How it notifies, if not as usual. */
  mode?: NoticeMode | undefined
}

/** Builds a message with its event and flags, ready to be stored. */
export function prepare(draft: Draft): PreparedMessage {
  const { destination, rendered, content } = draft
  const channel = destination.kind === 'channel' ? destination.channel : undefined
  return {
    realm_id: draft.realm.id,
    access_version: draft.accessVersion,
    queue_id: draft.echo?.queue_id ?? null,
    local_id: draft.echo?.local_id ?? null,
    claim_id: draft.claimId ?? null,
    sender_id: draft.sender.id,
    recipient_id: channel?.recipient_id ?? null,
    channel_id: channel?.id ?? null,
    topic_name: destination.kind === 'channel' ? destination.topic : null,
    topic_key: destination.kind === 'channel' ? topicKey(destination.topic) : null,
    user_ids: destination.kind === 'direct' ? destination.participants.map(({ id }) => id) : null,
    client: draft.client,
    content,
    rendered_content: rendered.html,
    read_by_sender: draft.readBySender,
    mentions_channel: rendered.channelWildcard,
    has_attachment: false,
    has_image: rendered.hasImage,
    has_link: rendered.hasLink,
    payload: toJson(payloadOf(draft)),
    audience: audienceOf(draft),
    personal: personalOf(draft),
    flags: flagsOf(draft.mentioned, draft.attention),
  }
}

/** The event's message with the fields for every kind of client; delivery/queues/wire-events.ts picks those a client asked for. */
function payloadOf({ realm, sender, destination, content, rendered, client, widget, mode }: Draft): ComposedMessage {
  const host = fakeDomain(realm)
  return {
    type: destination.kind === 'channel' ? 'stream' : 'private',
    sender_id: sender.id,
    sender_email: apiEmail(sender, host),
    sender_full_name: sender.full_name,
    sender_realm_str: realm.string_id,
    avatar_url: avatarUrl(sender, host),
    avatar_is_public_gravatar: hasPublicGravatar(sender),
    client,
    content,
    rendered_content: rendered.html,
    display_recipient:
      destination.kind === 'channel'
        ? destination.channel.name
        : destination.participants.map((person) => directRecipient(person, host)),
    stream_id: destination.kind === 'channel' ? destination.channel.id : undefined,
    topic_links: destination.kind === 'channel' ? topicLinks(destination.topic, realm.linkifiers) : [],
    is_me_message: isMeMessage(content),
    reactions: [],
    // Without message_id, which is known only once the message is stored.
    submessages: widget ? [widget] : [],
    ...(mode === 'silent' && { silent: true }),
    ...(mode === 'anyway' && { notify_anyway: true }),
  }
}

export function directRecipient(
  person: Pick<UserRow, 'id' | 'email' | 'full_name' | 'bot_type' | 'email_address_visibility'>,
  host: string,
) {
  return { id: person.id, email: apiEmail(person, host), full_name: person.full_name, is_mirror_dummy: false }
}

/** A channel audience is a rule, not a list: its size does not depend on the number of subscribers. */
function audienceOf({ destination, mentioned }: Draft): Audience {
  if (destination.kind === 'direct') return { users: destination.participants.map(({ id }) => id) }
  const { id, invite_only } = destination.channel
  return {
    channel: id,
    ...(!invite_only && { public: true }),
    ...(mentioned.bots.length > 0 && { users: mentioned.bots }),
  }
}

function personalOf(draft: Draft): Personal | null {
  const { sender, readBySender, rendered, mentioned, attention, echo, strangers = [] } = draft
  const flags: Record<string, string[]> = {}
  const add = (id: number, flag: string) => {
    const existing = flags[id]
    if (existing) existing.push(flag)
    else flags[id] = [flag]
  }
  if (readBySender) add(sender.id, 'read')
  for (const id of attention.read) add(id, 'read')
  for (const id of [...mentioned.users, ...mentioned.bots]) add(id, 'mentioned')
  for (const id of mentioned.participants) add(id, 'topic_wildcard_mentioned')
  for (const id of attention.alerted) add(id, 'has_alert_word')
  const everyone = rendered.channelWildcard ? ['stream_wildcard_mentioned'] : undefined
  const hasFlags = Object.keys(flags).length > 0
  const hidden = strangers.length > 0 && { from: strangers, instead: unknownSender(draft) }
  if (!hasFlags && !everyone && !echo && !hidden) return null
  return {
    ...(hasFlags && { flags }),
    ...(everyone && { everyone }),
    ...(echo && { echo }),
    ...(hidden && { hidden }),
  }
}

export function unknownSender({ sender, realm }: { sender: { id: number }; realm: Realm }) {
  const { email, full_name, avatar_url } = unknownUser(sender.id, { realm })
  return { sender_email: email, sender_full_name: full_name, avatar_url, avatar_is_public_gravatar: false }
}

function flagsOf({ users, participants, bots }: Mentioned, { read, alerted }: Attention): [number, number][] | null {
  const bits = new Map<number, number>()
  const add = (ids: number[], bit: number) => {
    for (const id of ids) bits.set(id, (bits.get(id) ?? 0) | bit)
  }
  add(users, flagBits.mentioned)
  add(bots, flagBits.mentioned)
  add(participants, flagBits.topic_wildcard_mentioned)
  add(read, flagBits.read)
  add(alerted, flagBits.has_alert_word)
  return bits.size > 0 ? [...bits] : null
}
