import { chunksOf, inTransaction, type Run } from '../run.ts'
import type { ImportedMessage, Membership } from './records.ts'

const rowsAtOnce = 5000

interface Floor extends Membership {
  floor: number
}

/**
 * Computes up to which message everybody has read each conversation, while messages pass in order of time: the last one that
 * was sent before they last looked.
 */
export class ReadState {
  readonly #run: Run
  readonly #waiting: Floor[]
  readonly #last = new Map<string, number>()
  #next = 0

  constructor(run: Run) {
    this.#run = run
    this.#waiting = run.plan.memberships.map((one) => ({ ...one, floor: 0 })).sort((a, b) => a.lastRead - b.lastRead)
  }

  pass({ place, at }: ImportedMessage, id: number): void {
    this.#settle(at)
    this.#last.set(place, id)
  }

  #settle(until: number): void {
    for (; this.#next < this.#waiting.length && this.#waiting[this.#next]!.lastRead < until; this.#next++) {
      const one = this.#waiting[this.#next]!
      one.floor = this.#last.get(one.place) ?? 0
    }
  }

  async store(conversations: ReadonlyMap<string, number>): Promise<void> {
    this.#settle(Number.POSITIVE_INFINITY)
    for (const list of chunksOf(this.#waiting, rowsAtOnce))
      await inTransaction(this.#run, () => this.#storeSome(list, conversations))
  }

  async #storeSome(list: Floor[], conversations: ReadonlyMap<string, number>): Promise<void> {
    const { people, channels } = this.#run
    const rowsIn = (idOf: (place: string) => number | undefined) =>
      list.flatMap(({ user, place, floor }) => {
        const [userId, id] = [people.get(user)?.id, idOf(place)]
        return userId === undefined || id === undefined || floor === 0 ? [] : [{ userId, id, floor }]
      })
    await this.#raise(
      'subscriptions',
      'channel_id',
      rowsIn((place) => channels.get(place)?.id),
    )
    await this.#raise(
      'direct_participants',
      'recipient_id',
      rowsIn((place) => conversations.get(place)),
    )
  }

  /** What was read here since an earlier import stays read. */
  async #raise(table: string, column: string, rows: { userId: number; id: number; floor: number }[]): Promise<void> {
    await this.#run.client.query(
      `update ${table} t set read_floor = one.floor
         from unnest($2::bigint[], $3::bigint[], $4::bigint[]) as one(user_id, id, floor)
        where t.realm_id = $1 and t.user_id = one.user_id and t.${column} = one.id and t.read_floor < one.floor`,
      [this.#run.realm.id, rows.map(({ userId }) => userId), rows.map(({ id }) => id), rows.map(({ floor }) => floor)],
    )
  }
}
