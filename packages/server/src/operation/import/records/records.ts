import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'

/**
 * What an importer knows, without the vendor. Every text and list has a maximum: a record that exceeds it is listed as a
 * problem, and the import goes on.
 */
const key = Type.String({ minLength: 1, maxLength: 1000 })
const name = Type.String({ maxLength: 10_000 })
/** With microseconds after the point. */
const milliseconds = Type.Number({ minimum: -62_000_000_000_000, maximum: 253_000_000_000_000 })

const user = Type.Object({
  key,
  /** In the order of preference: the first one that can be a name is taken. */
  names: Type.Array(name, { minItems: 1, maxItems: 5 }),
  email: Type.Optional(name),
  role: Type.Enum(['owner', 'admin', 'moderator', 'member', 'guest']),
  isActive: Type.Boolean(),
  /** Present for bots. */
  bot: Type.Optional(Type.Object({ owner: Type.Optional(key) })),
  /** The path in the archive. */
  avatar: Type.Optional(key),
  status: Type.Optional(name),
  timezone: Type.Optional(name),
  /** The file only names them. */
  isStandIn: Type.Optional(Type.Boolean()),
})

const channel = Type.Object({
  key,
  name,
  /** What is appended, in this order, if another channel has the same name. */
  qualifiers: Type.Array(name, { maxItems: 5 }),
  folder: Type.Optional(name),
  description: Type.String({ maxLength: 20_000 }),
  isPrivate: Type.Boolean(),
  isArchived: Type.Boolean(),
  /** Whether everybody who joins the organization joins it. */
  isDefault: Type.Boolean(),
})

/** A member of a channel or of a direct conversation. */
const membership = Type.Object({
  user: key,
  place: key,
  /** What was sent until then is read. */
  lastRead: milliseconds,
  isMuted: Type.Boolean(),
  isPinned: Type.Boolean(),
  desktop: Type.Optional(Type.Boolean()),
  push: Type.Optional(Type.Boolean()),
})

const emoji = Type.Object({ name: Type.String({ pattern: '^[0-9a-z_-]*[0-9a-z]$', maxLength: 100 }), image: key })

const message = Type.Object({
  /** The key of a channel, or of a direct conversation. */
  place: key,
  /** Present in direct conversations. */
  members: Type.Optional(Type.Array(key, { minItems: 1, maxItems: 50 })),
  sender: key,
  /** The user in the key of the message, if that is not the sender. */
  author: Type.Optional(key),
  at: milliseconds,
  /** In the markup of the source. */
  text: Type.String({ maxLength: 400_000 }),
  thread: Type.Optional(
    Type.Object({ key, replies: Type.Integer(), at: milliseconds, title: name, isRoot: Type.Boolean() }),
  ),
  editedAt: Type.Optional(milliseconds),
  reactions: Type.Array(Type.Object({ user: key, emoji: key, at: milliseconds }), { maxItems: 10_000 }),
  files: Type.Array(Type.Object({ path: key, name: Type.String({ maxLength: 1000 }), owner: Type.Optional(key) }), {
    maxItems: 100,
  }),
  starredBy: Type.Array(key, { maxItems: 100_000 }),
  followers: Type.Array(key, { maxItems: 100_000 }),
  isPinned: Type.Boolean(),
})

export type ImportedUser = Static<typeof user>
export type ImportedChannel = Static<typeof channel>
export type Membership = Static<typeof membership>
export type ImportedEmoji = Static<typeof emoji>
export type ImportedMessage = Static<typeof message>

export interface Records {
  user: ImportedUser
  channel: ImportedChannel
  membership: Membership
  emoji: ImportedEmoji
  message: ImportedMessage
}

const checks = {
  user: Compile(user),
  channel: Compile(channel),
  membership: Compile(membership),
  emoji: Compile(emoji),
  message: Compile(message),
}

/** Throws an error that names the first field that is not as it must be. */
export function checkRecord<Kind extends keyof Records>(kind: Kind, record: Records[Kind]): Records[Kind] {
  const check = checks[kind]
  if (check.Check(record)) return record
  const [error] = check.Errors(record)
  throw new Error(`${error?.instancePath || 'it'} ${error?.message ?? 'is not as it must be'}`)
}
