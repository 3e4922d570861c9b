import { createHash } from 'node:crypto'
import type { Problems } from './found-problems.ts'
import type { Stored } from './records/store.ts'
import type { RunBase } from './run.ts'

const rowsAtOnce = 5000

/** The checksum of messages in order of their ids. */
class Checksum {
  readonly #hash = createHash('sha256')
  count = 0

  add({ id, recipientId, senderId, at, content }: Stored): void {
    this.count++
    this.#hash.update(`${id} ${recipientId} ${senderId} ${at} ${content}\0`)
  }

  get value(): string {
    return this.#hash.copy().digest('hex')
  }
}

/** What was given to the database. */
export class Written {
  readonly sum = new Checksum()
  first = 0
  last = 0

  add(stored: Stored): void {
    this.first ||= stored.id
    this.last = stored.id
    this.sum.add(stored)
  }
}

/** Reads what was written and returns what differs. */
export async function findDifferences(
  run: RunBase & { plan: Problems },
  { sum, first, last }: Written,
): Promise<string[]> {
  const read = new Checksum()
  for (let after = first - 1; after < last; ) {
    const rows = await readAfter(run, after, last)
    for (const row of rows) read.add(row)
    after = rows.at(-1)?.id ?? last
  }
  const [reactions, mapped, present] = await countAll(run, first, last)
  const { counts } = run.plan
  return [
    ...different('messages', sum.count, read.count),
    ...different('the checksum of messages', sum.value, read.value),
    ...different('reactions', counts['reactions written'] ?? 0, reactions!),
    ...different('messages of this import', mapped!, present!),
  ]
}

function different(what: string, written: string | number, found: string | number): string[] {
  return written === found ? [] : [`${what}: ${written} written, ${found} found`]
}

async function readAfter({ client, realm }: RunBase, after: number, last: number): Promise<Stored[]> {
  const { rows } = await client.query<Stored>(
    `select id, recipient_id as "recipientId", sender_id as "senderId", content,
            floor(extract(epoch from date_sent) * 1000)::bigint as at
       from messages where realm_id = $1 and id > $2 and id <= $3 order by id limit ${rowsAtOnce}`,
    [realm.id, after, last],
  )
  return rows
}

async function countAll({ client, realm, importId }: RunBase, first: number, last: number): Promise<number[]> {
  const { rows } = await client.query<{ count: number }>({
    text: `select count(*) from reactions where realm_id = $1 and message_id between $3 and $4
     union all
     select count(*) from import_map where realm_id = $1 and kind = 'message' and import_id = $2
     union all
     select count(*) from import_map i join messages m on m.realm_id = i.realm_id and m.id = i.new_id
      where i.realm_id = $1 and i.kind = 'message' and i.import_id = $2`,
    values: [realm.id, importId, first, last],
  })
  return rows.map(({ count }) => count)
}
