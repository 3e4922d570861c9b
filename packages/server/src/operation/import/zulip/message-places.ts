import { idsIn, type Row } from '../rows/row-values.ts'
import { grouped } from './organization-rows.ts'
import type { Tables } from './zulip-tables.ts'

export interface ImportedPlace {
  channel?: number
  /** Ids of users, ascending. */
  users?: number[]
  /** By which read state is kept. */
  key: string
}

const [personal, stream, huddle] = [1, 2, 3]

/** Where messages went: recipients are channels, people (up to version 11) or groups of people. */
export class Conversations {
  readonly #recipients = new Map<unknown, Row>()
  readonly #members: Map<unknown, number[]>

  constructor(tables: Tables) {
    for (const row of tables.rows('recipient')) this.#recipients.set(row.id, row)
    this.#members = grouped(tables.rows('subscription'), 'recipient', 'user_profile')
  }

  /** Who wrote there is there: the subscriptions of system bots are not in the file. */
  note(recipient: unknown, sender: unknown): void {
    if (this.#recipients.get(recipient)?.type !== huddle) return
    const members = this.#members.get(recipient) ?? []
    if (!members.includes(sender as number)) this.#members.set(recipient, [...members, ...idsIn([sender])])
  }

  find(recipient: unknown, sender: unknown): ImportedPlace | undefined {
    const row = this.#recipients.get(recipient)
    if (row?.type === stream) return { channel: row.type_id as number, key: `channel ${String(row.type_id)}` }
    if (row?.type === personal) return direct(idsIn([row.type_id, sender]))
    return row?.type === huddle
      ? direct(this.#members.get(recipient) ?? [], `recipient ${String(recipient)}`)
      : undefined
  }

  /** The channel of a subscription. */
  channelOf(recipient: unknown): number | undefined {
    const row = this.#recipients.get(recipient)
    return row?.type === stream ? (row.type_id as number) : undefined
  }
}

function direct(users: number[], key?: string): ImportedPlace | undefined {
  const distinct = [...new Set(users)].sort((a, b) => a - b)
  return distinct.length === 0 ? undefined : { users: distinct, key: key ?? `users ${distinct.join()}` }
}
