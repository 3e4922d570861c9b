import { topicKey } from '../../../conversations/messages/model/normalize-text.ts'
import { firstCharacters } from '../../../platform/text.ts'
import type { ImportOptions } from '../run.ts'
import type { ImportedMessage } from './records.ts'

/** How many replies give a thread a topic of its own. */
const repliesOfTopic = { a: 3, b: 1, c: Number.POSITIVE_INFINITY, d: 1 }
const onlyTopic = 'chat'
const longest = 60
const fitsDate = 46

type Threaded = Pick<ImportedMessage, 'place' | 'thread' | 'at'>
type Thread = Pick<ImportedMessage, 'thread'>

/** Names the topics of messages, which come in order of time: the same file always gets the same names. */
export class TopicNames {
  readonly #choice: ImportOptions['threads']
  /** The thread that has a name, by place and name. */
  readonly #taken = new Map<string, string>()
  readonly #names = new Map<string, string>()

  constructor(choice: ImportOptions['threads']) {
    this.#choice = choice
  }

  /** Whether the message is where the others of its thread are. */
  isInTopicOfThread({ thread }: Thread): boolean {
    return !(this.#choice === 'd' && thread?.isRoot)
  }

  /** Whether it is in a topic of the thread alone. */
  isApart({ thread }: Thread): boolean {
    return thread !== undefined && this.#hasTopic(thread) && this.isInTopicOfThread({ thread })
  }

  #hasTopic({ replies }: NonNullable<Threaded['thread']>): boolean {
    return replies >= repliesOfTopic[this.#choice]
  }

  of(message: Threaded): string {
    if (this.isApart(message)) return this.#ofThread(message)
    if (this.#choice === 'c') return onlyTopic
    // The month of the first message: a thread is never torn apart.
    return new Date(message.thread?.at ?? message.at).toISOString().slice(0, 7)
  }

  #ofThread({ place, thread }: Threaded): string {
    const { key, title, at } = thread!
    const known = this.#names.get(`${place} ${key}`)
    if (known !== undefined) return known
    const base = title === '' || /^\d{4}-\d{2}$/.test(title) || title === onlyTopic ? `Thread ${title}`.trim() : title
    const dated = `${firstCharacters(base, fitsDate).trim()} (${new Date(at).toISOString().slice(0, 10)})`
    for (let number = 1, name = base; ; name = number === 1 ? dated : withNumber(dated, number), number++) {
      const taken = `${place} ${topicKey(name)}`
      if (this.#taken.has(taken)) continue
      this.#taken.set(taken, key)
      this.#names.set(`${place} ${key}`, name)
      return name
    }
  }

  /** With a text that refers to the thread, where the choice wants one. */
  textOf(message: ImportedMessage, channelName: string | undefined): string {
    const { thread, text } = message
    if (!thread || channelName === undefined) return text
    if (this.#choice === 'c' && !thread.isRoot) return `> ${thread.title}\n\n${text}`
    if (this.#choice === 'd' && thread.isRoot && this.#hasTopic(thread))
      return `${text}\n\n#**${channelName}>${this.#ofThread(message)}**`
    return text
  }
}

function withNumber(name: string, number: number): string {
  const end = ` ${number}`
  return firstCharacters(name, longest - end.length) + end
}
