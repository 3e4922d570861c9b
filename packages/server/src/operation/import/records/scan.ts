import type { Archive } from '../../../platform/archives/foreign-archive.ts'
import { Problems } from '../found-problems.ts'
import type { Sink, Source } from '../source.ts'
import { checkRecord, type ImportedChannel, type ImportedUser, type Membership, type Records } from './records.ts'
import { SortedMessages } from './sorted-messages.ts'

const mostReactionNames = 5000

/** Everything in a file, before anything is written: messages sorted on disk, the rest in memory. */
export class Plan extends Problems implements Sink {
  readonly users = new Map<string, ImportedUser>()
  readonly channels = new Map<string, ImportedChannel>()
  readonly memberships: Membership[] = []
  /** The image of each custom emoji. */
  readonly emoji = new Map<string, string>()
  readonly reactionNames = new Set<string>()
  readonly messages: SortedMessages

  constructor(messages: SortedMessages) {
    super()
    this.messages = messages
  }

  add<Kind extends keyof Records>(kind: Kind, record: Records[Kind]): void {
    const take = this.#takers[kind] as (record: Records[Kind]) => void
    take(checkRecord(kind, record))
  }

  settle(): Promise<void> {
    return this.messages.settle()
  }

  readonly #takers: { [Kind in keyof Records]: (record: Records[Kind]) => void } = {
    user: (user) => {
      const known = this.users.get(user.key)
      if (known && !known.isStandIn) throw new Error(`the user ${user.key} occurs twice`)
      this.users.set(user.key, user)
    },
    channel: (channel) => {
      if (this.channels.has(channel.key)) throw new Error(`the channel ${channel.key} occurs twice`)
      this.channels.set(channel.key, channel)
    },
    membership: (membership) => void this.memberships.push(membership),
    emoji: ({ name, image }) => void this.emoji.set(name, image),
    message: (message) => {
      if (!message.members && !this.channels.has(message.place))
        throw new Error(`its channel ${message.place} is not in the file`)
      for (const key of [message.sender, ...(message.members ?? [])]) this.#need(key)
      for (const { user, emoji } of message.reactions) {
        this.#need(user)
        if (this.reactionNames.size < mostReactionNames) this.reactionNames.add(emoji)
      }
      this.count('reactions', message.reactions.length)
      if (message.isPinned) this.count('pinned messages')
      this.messages.add(message)
    },
  }

  /** Users that the file only names get a deactivated stand-in. */
  #need(key: string): void {
    if (this.users.has(key)) return
    this.users.set(key, { key, names: [key], role: 'member', isActive: false, isStandIn: true })
    this.count('stand-ins for unknown people')
  }
}

/** Reads a whole file and checks it. Throws a `BadArchive` if it is damaged or not what it claims to be. */
export async function scan(source: Source, archive: Archive, folder: string): Promise<Plan> {
  await archive.verify()
  const plan = new Plan(await SortedMessages.create(folder))
  try {
    await source.read(archive, plan)
    await plan.messages.settle(true)
    return plan
  } catch (error) {
    await plan.messages.close()
    throw error
  }
}
