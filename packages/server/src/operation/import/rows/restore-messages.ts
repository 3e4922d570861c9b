import { flagBits } from '../../../conversations/messages/model/flag-bits.ts'
import { copyRows } from '../copy.ts'
import { ensureConversation } from '../ensure-conversation.ts'
import type { Written } from '../find-differences.ts'
import { hashOf, inTransaction } from '../run.ts'
import type { Histories } from './imported-edits.ts'
import type { Directory } from './references-here.ts'
import { emojiOf } from './restore-personal.ts'
import { insertRows, type RowRun, reserve } from './restore-rows.ts'
import { clean, idsIn, jsonOf, microsecondsIn, type Row, rowsIn, short, timestampOf } from './row-values.ts'
import { isPlain, withNewKeys } from './widget-keys.ts'

const messagesAtOnce = 2500
const longestMessage = 400_000
const mostReactions = 10_000

interface Restored {
  id: number
  row: Row
  senderId: number
  channelId: number | null
  topicId: number | null
  recipientId: number
  at: number
  content: string
  html: string
  mentionsChannel: boolean
  hasImage: boolean
  hasLink: boolean
  history: string | null
}

interface Deps {
  directory: Directory
  histories: Histories
  text: (content: string) => string
  written: Written
  progress: (count: number) => void
}

/** Messages with reactions, submessages, edits and flags, in the order of their ids. */
export class Messages {
  /** New ids of those that could not be restored. */
  readonly dropped = new Set<number>()
  readonly #run: RowRun
  readonly #deps: Deps
  readonly #withFiles = new Set<number>()
  readonly #recipients = new Map<number, number>()
  readonly #conversations = new Map<string, number>()

  constructor(run: RowRun, deps: Deps) {
    this.#run = run
    this.#deps = deps
  }

  /** Which messages link to uploads, by the rows of those. */
  async restore(files: Iterable<Row>): Promise<void> {
    const { ids, client, realm, open } = this.#run
    for (const { message_ids } of files)
      for (const id of idsIn(message_ids)) this.#withFiles.add(ids.messages.find(id) ?? 0)
    const { rows } = await client.query<{ id: number; recipient_id: number }>(
      'select id, recipient_id from channels where realm_id = $1',
      [realm.id],
    )
    for (const { id, recipient_id } of rows) this.#recipients.set(Number(id), Number(recipient_id))
    let batch: Row[] = []
    for await (const row of open.messages()) {
      batch.push(row)
      if (batch.length < messagesAtOnce) continue
      await this.#write(batch)
      batch = []
    }
    await this.#write(batch)
  }

  async #write(batch: Row[]): Promise<void> {
    const { plan, ids } = this.#run
    const fresh = batch.filter(({ id }) => !ids.messages.isKnown(id as number))
    plan.count('messages that were here', batch.length - fresh.length)
    const restored: Restored[] = []
    for (const row of fresh) {
      const one = await this.#prepare(row)
      if (one) restored.push(one)
    }
    if (restored.length > 0) await inTransaction(this.#run, () => this.#store(restored))
    for (const { id, senderId, recipientId, at, content } of restored)
      this.#deps.written.add({ id, senderId, recipientId, at: Math.floor(at / 1000), content })
    plan.count('messages written', restored.length)
    this.#deps.progress(batch.length)
  }

  async #prepare(row: Row): Promise<Restored | undefined> {
    const { ids, plan } = this.#run
    const id = ids.messages.find(row.id)
    try {
      if (id === undefined) throw new Error('its id is missing')
      return await this.#read(row, id)
    } catch (error) {
      if (id !== undefined) this.dropped.add(id)
      plan.problem({ kind: 'dropped', place: `message ${String(row.id)}`, error: (error as Error).message })
      return undefined
    }
  }

  async #read(row: Row, id: number): Promise<Restored> {
    const { ids } = this.#run
    const { directory, histories, text } = this.#deps
    const at = microsecondsIn(row, 'date_sent')
    if (at === undefined) throw new Error('its time is missing')
    if (clean(row.content).length > longestMessage) throw new Error('it is too long')
    const senderId = ids.need('user', row.sender_id)
    const isInChannel = row.channel_id !== null && row.channel_id !== undefined
    const channelId = isInChannel ? ids.need('channel', row.channel_id) : null
    const content = text(clean(row.content))
    const rendered = await directory.render(content, senderId)
    const history = await histories.ofMessage(row)
    return {
      id,
      row,
      senderId,
      channelId,
      topicId: isInChannel ? ids.need('topic', row.topic_id) : null,
      recipientId: channelId === null ? await this.#conversation(row) : this.#recipients.get(channelId)!,
      at,
      content,
      html: rendered.html,
      mentionsChannel: typeof row.mentions_channel === 'boolean' ? row.mentions_channel : rendered.channelWildcard,
      hasImage: rendered.hasImage,
      hasLink: rendered.hasLink,
      history: history && jsonOf(history),
    }
  }

  /** Made in a transaction of its own: empty conversations do no harm. */
  async #conversation({ recipients }: Row): Promise<number> {
    const { ids } = this.#run
    const users = idsIn(recipients).map((id) => ids.need('user', id))
    if (users.length === 0) throw new Error('it has neither channel nor recipients')
    const userIds = [...new Set(users)].sort((a, b) => a - b)
    const key = userIds.join()
    const known = this.#conversations.get(key)
    if (known !== undefined) return known
    const made = await ensureConversation(this.#run.client, this.#run.realm.id, userIds)
    this.#conversations.set(key, made)
    return made
  }

  async #store(all: Restored[]): Promise<void> {
    const { client, realm, importId } = this.#run
    await client.query('update realm_counters set last_message = greatest(last_message, $2) where realm_id = $1', [
      realm.id,
      Math.max(...all.map(({ id }) => id)),
    ])
    await copyRows(
      client,
      'messages',
      columns,
      all.map((one) => this.#columns(one)),
    )
    await this.#storeReactions(all)
    await this.#storeSubmessages(all)
    await this.#storeFlags(all)
    const keys = all.map(({ row, id }) => [realm.id, 'message', hashOf(String(row.id)), id, importId])
    await copyRows(client, 'import_map', ['realm_id', 'kind', 'key_hash', 'new_id', 'import_id'], keys)
  }

  #columns(one: Restored) {
    const { row } = one
    return [
      this.#run.realm.id,
      one.id,
      one.recipientId,
      one.channelId,
      one.topicId,
      typeof row.topic_since === 'number' ? row.topic_since : 0,
      one.senderId,
      timestampOf(one.at),
      short(row.client, 30) || 'import',
      one.content,
      one.html,
      row.read_by_sender !== false,
      one.mentionsChannel,
      this.#withFiles.has(one.id),
      one.hasImage,
      one.hasLink,
      one.history,
      typeof row.topic_spelling === 'string' ? short(row.topic_spelling, 60) : null,
    ]
  }

  async #storeReactions(all: Restored[]): Promise<void> {
    const { client, realm, ids, plan } = this.#run
    const rows = all.flatMap(({ id, at, row }) => {
      const distinct = new Map<string, (string | number)[]>()
      for (const reaction of rowsIn(row.reactions).slice(0, mostReactions)) {
        const user = ids.find('user', reaction.user_id)
        const emoji = emojiOf(this.#run, reaction)
        if (user === undefined || emoji.emoji_name === '') {
          plan.problem({
            kind: 'dropped',
            place: `message ${String(row.id)}`,
            error: 'a reaction is of nobody in the file, or has an unknown emoji',
          })
          continue
        }
        const time = timestampOf(microsecondsIn(reaction, 'created_at') ?? at)
        distinct.set(`${user} ${emoji.reaction_type} ${emoji.emoji_code}`, [
          realm.id,
          id,
          user,
          emoji.reaction_type,
          emoji.emoji_code,
          emoji.emoji_name,
          time,
        ])
      }
      return [...distinct.values()]
    })
    await copyRows(client, 'reactions', reactionColumns, rows)
    plan.count('reactions written', rows.length)
  }

  async #storeSubmessages(all: Restored[]): Promise<void> {
    const { ids, keepsIds } = this.#run
    const list = all.flatMap(({ id, row }) =>
      rowsIn(row.submessages).flatMap((one) => {
        const sender = ids.find('user', one.sender_id)
        return sender === undefined || !isPlain(one) ? [] : [{ message: id, sender, one }]
      }),
    )
    if (list.length === 0) return
    const fresh = keepsIds ? [] : await reserve(this.#run, 'submessage', list.length)
    await insertRows(
      this.#run,
      'submessages',
      list.map(({ message, sender, one }, index) => ({
        id: keepsIds ? one.id : fresh[index],
        message_id: message,
        sender_id: sender,
        msg_type: short(one.msg_type, 30),
        content: withNewKeys(short(one.content, 50_000), ids),
      })),
    )
  }

  /** Flags that come with messages. */
  async #storeFlags(all: Restored[]): Promise<void> {
    const { client, realm, ids, plan } = this.#run
    const rows = all.flatMap(({ id, row }) =>
      rowsIn(row.flags).flatMap(({ user_id, flags }) => {
        const user = ids.find('user', user_id)
        const bits = bitsOf(flags)
        return user === undefined || bits === 0 ? [] : [[realm.id, user, id, bits]]
      }),
    )
    await copyRows(client, 'message_flags', ['realm_id', 'user_id', 'message_id', 'flags'], rows)
    plan.count('flags written', rows.length)
  }
}

export function bitsOf(flags: unknown): number {
  const names = new Set(Array.isArray(flags) ? flags : [])
  return Object.entries(flagBits).reduce((bits, [name, bit]) => (names.has(name) ? bits | bit : bits), 0)
}

const columns =
  'realm_id id recipient_id channel_id topic_id topic_since sender_id date_sent client content rendered_content read_by_sender mentions_channel has_attachment has_image has_link edit_history topic_spelling'.split(
    ' ',
  )
const reactionColumns = ['realm_id', 'message_id', 'user_id', 'reaction_type', 'emoji_code', 'emoji_name', 'created_at']
