import { cutTopic, topicKey } from '../../../conversations/messages/model/normalize-text.ts'
import { chunksOf, inTransaction, storeMapped } from '../run.ts'
import type { Histories } from './imported-edits.ts'
import type { Directory } from './references-here.ts'
import { insertRows, type RowRun, restorePlain, restoreWithIds, rowsOf } from './restore-rows.ts'
import { integerIn, oneLine, type Row, rowsIn, timestampIn } from './row-values.ts'

/** Topics with their renames. One with the name of a topic that was made here since is that topic. */
export async function restoreTopics(run: RowRun, directory: Directory, histories: Histories): Promise<void> {
  const { ids } = run
  const rows = await rowsOf(run, 'topics')
  const others = run.isNew ? rows : await joinExisting(run, rows)
  const written = await restoreWithIds(run, 'topic', 'topics', others, (row) => {
    const name = nameIn(row)
    return { channel_id: ids.need('channel', row.channel_id), name, name_key: topicKey(name) }
  })
  for (const row of rows) noteFirst(run, directory, row)
  for (const some of chunksOf(
    written.filter(({ history }) => rowsIn(history).length > 0),
    500,
  ))
    await inTransaction(
      run,
      async () => void (await insertRows(run, 'topic_history', await historyOf(run, some, histories))),
    )
}

function nameIn({ name }: Row): string {
  return cutTopic(oneLine(name, 1000))
}

/** Returns the topics that do not exist yet. */
async function joinExisting(run: RowRun, rows: Row[]): Promise<Row[]> {
  const { client, realm, ids } = run
  const fresh: Row[] = []
  for (const some of chunksOf(rows, 1000)) {
    const { rows: found } = await client.query<{ place: number; id: number; isMapped: boolean }>(
      `select one.place, t.id, exists (select 1 from import_map i where i.realm_id = $1 and i.kind = 'topic' and i.new_id = t.id) as "isMapped"
         from unnest($2::bigint[], $3::text[]) with ordinality as one(channel_id, name_key, place)
         join topics t on t.realm_id = $1 and t.channel_id = one.channel_id and t.name_key = one.name_key`,
      [
        realm.id,
        some.map(({ channel_id }) => ids.find('channel', channel_id) ?? 0),
        some.map((row) => topicKey(nameIn(row))),
      ],
    )
    const existing = new Map(
      found.filter(({ isMapped }) => !isMapped).map(({ place, id }) => [Number(place) - 1, Number(id)]),
    )
    const made = [...existing].map(([place, id]): [string, number] => [String(some[place]!.key ?? some[place]!.id), id])
    await storeMapped(run, (text, values) => client.query(text, values), 'topic', made)
    for (const [place, id] of existing) ids.set('topic', some[place]!.id as number, id)
    fresh.push(...some.filter((_, place) => !existing.has(place)))
  }
  return fresh
}

/** Links to a topic point to its first message. */
function noteFirst({ ids }: RowRun, directory: Directory, row: Row): void {
  const [channel, first] = [ids.find('channel', row.channel_id), ids.messages.find(row.first_message_id)]
  if (channel !== undefined && first !== undefined) directory.topics.set(`${channel} ${topicKey(nameIn(row))}`, first)
}

async function historyOf({ ids }: RowRun, rows: Row[], histories: Histories) {
  const entries = rows.flatMap((row) =>
    rowsIn(row.history).map((one) => ({ ...one, topic_id: ids.need('topic', row.id) }) as Row),
  )
  return Promise.all(
    entries.map(async ({ topic_id, up_to_message, entry }) => {
      const changed = await histories.entry(entry as Row, 0)
      return { topic_id, number: changed.number, up_to_message: ids.messages.upTo(up_to_message), entry: changed }
    }),
  )
}

/** What people muted, unmuted or follow. */
export async function restorePolicies(run: RowRun): Promise<void> {
  const { ids } = run
  const topics = new Map<string, unknown>()
  for await (const row of run.open.rows('topics'))
    topics.set(`${String(row.channel_id)} ${topicKey(nameIn(row))}`, row.id)
  await restorePlain(run, 'own_topics', 'user_topics', (row) => {
    const visibility_policy = integerIn(row.visibility_policy, 1, 3)
    if (visibility_policy === undefined) throw new Error('its policy is unknown')
    const named = topics.get(`${String(row.channel_id)} ${topicKey(oneLine(row.topic, 1000))}`)
    return {
      user_id: ids.need('user', row.user_id),
      topic_id: ids.need('topic', row.topic_id ?? named),
      visibility_policy,
      last_updated: timestampIn(row, 'last_updated'),
      is_hidden: row.is_hidden === true,
    }
  })
}
