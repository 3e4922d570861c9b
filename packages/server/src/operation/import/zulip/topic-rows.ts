import { topicKey } from '../../../conversations/messages/model/normalize-text.ts'
import { clean, type Row } from '../rows/row-values.ts'

/** Topics exist there only as names on messages. Each gets a number, and a later file knows it by channel and name. */
export class TopicRows {
  readonly #topics = new Map<string, Row>()

  /** The name in the spelling of the latest message. */
  note(channel: number, subject: unknown, message: number | undefined): void {
    const name = clean(subject)
    const key = `${channel}\n${topicKey(name)}`
    const known = this.#topics.get(key)
    if (!known)
      this.#topics.set(key, { id: this.#topics.size + 1, key, channel_id: channel, name, first_message_id: message })
    else if (message !== undefined) {
      known.name = name
      known.first_message_id ??= message
    }
  }

  find(channel: number, subject: unknown): Row | undefined {
    return this.#topics.get(`${channel}\n${topicKey(clean(subject))}`)
  }

  all(): Row[] {
    return [...this.#topics.values()]
  }
}
