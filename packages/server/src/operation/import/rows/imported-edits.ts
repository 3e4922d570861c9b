import type { Entry } from '../../../conversations/messages/model/edit-history.ts'
import type { Directory } from './references-here.ts'
import type { RowRun } from './restore-rows.ts'
import { clean, integerIn, type Row, rowsIn, short } from './row-values.ts'

const mostEdits = 10_000
/** So that later edits, which count on from there, have room. */
const largestNumber = 1e12

/** Edits of messages and topics with the ids that things have here. Numbers their edits, and knows the highest number. */
export class Histories {
  highest = 0
  readonly #run: RowRun
  readonly #directory: Directory
  readonly #text: (content: string) => string

  constructor(run: RowRun, directory: Directory, text: (content: string) => string) {
    this.#run = run
    this.#directory = directory
    this.#text = text
  }

  /** The edits of a message alone if the file tells them apart; otherwise all of them, the newest first. */
  async ofMessage({ own_history, edit_history, sender_id }: Row): Promise<Entry[] | null> {
    const own = own_history !== undefined
    const entries = rowsIn(own ? own_history : edit_history).slice(0, mostEdits)
    if (entries.length === 0) return null
    const author = this.#run.ids.find('user', sender_id) ?? 0
    const numbered = own ? entries : entries.map((entry, index) => ({ ...entry, number: entries.length - index }))
    return Promise.all(numbered.map((entry) => this.entry(entry, author)))
  }

  async entry(row: Row, author: number): Promise<Entry> {
    const { ids } = this.#run
    const number = integerIn(row.number, 0, largestNumber) ?? 0
    this.highest = Math.max(this.highest, number)
    const content = row.prev_content === undefined ? undefined : this.#text(short(row.prev_content, 400_000))
    return {
      number,
      user_id: ids.find('user', row.user_id) ?? null,
      timestamp: integerIn(row.timestamp, 0, 1e11) ?? 0,
      ...(content !== undefined && {
        prev_content: content,
        prev_rendered_content: (await this.#directory.render(content, author)).html,
      }),
      ...this.#topics(row),
      ...this.#channels(row),
      ...(row.resolving === true && { resolving: true as const }),
      ...(row.is_edit === true && { is_edit: true as const }),
    }
  }

  #topics({ prev_topic, topic }: Row): Partial<Entry> {
    if (prev_topic === undefined) return {}
    return { prev_topic: short(prev_topic, 60), topic: short(clean(topic), 60) }
  }

  #channels({ prev_stream, stream }: Row): Partial<Entry> {
    const from = this.#run.ids.find('channel', prev_stream)
    if (from === undefined) return {}
    return { prev_stream: from, stream: this.#run.ids.find('channel', stream) ?? from }
  }

  /** Edits that are made here are newer. */
  async advance(): Promise<void> {
    await this.#run.client.query(`select setval('edit_numbers', greatest($1::bigint, nextval('edit_numbers')))`, [
      this.highest + 1,
    ])
  }
}
