import { newServiceSecrets } from '../../../delivery/bots/services.ts'
import type { Vault } from '../../../platform/secrets.ts'
import { ensureConversation } from '../ensure-conversation.ts'
import { chunksOf, inTransaction } from '../run.ts'
import type { Directory } from './references-here.ts'
import { bitsOf } from './restore-messages.ts'
import { type NewRow, type RowRun, restorePlain, restoreWithIds, rowsOf } from './restore-rows.ts'
import { clean, idsIn, microsecondsIn, oneLine, type Row, short, timestampIn, timestampOf } from './row-values.ts'

const rowsAtOnce = 5000

/** What people have read, starred and so on, once messages are there. */
export async function restoreFlags(run: RowRun, dropped: ReadonlySet<number>): Promise<void> {
  let batch: [user: number, message: number, bits: number][] = []
  const store = async () => {
    const rows = batch
    batch = []
    await run.client.query(
      `insert into message_flags (realm_id, user_id, message_id, flags)
       select $1, * from unnest($2::bigint[], $3::bigint[], $4::integer[]) on conflict do nothing`,
      [run.realm.id, rows.map(([user]) => user), rows.map(([, message]) => message), rows.map(([, , bits]) => bits)],
    )
    run.plan.count('flags written', rows.length)
  }
  for await (const { user_id, message_id, flags } of run.open.rows('own_flags')) {
    const [user, message] = [run.ids.find('user', user_id), run.ids.messages.find(message_id)]
    const bits = bitsOf(flags)
    if (user === undefined || message === undefined || bits === 0 || dropped.has(message)) continue
    batch.push([user, message, bits])
    if (batch.length >= rowsAtOnce) await store()
  }
  await store()
}

/** Direct conversations, also those without a message, with what everybody has read. */
export async function restoreConversations(run: RowRun): Promise<void> {
  const { client, realm, ids } = run
  const known = new Map<string, number>()
  for (const some of chunksOf(await rowsOf(run, 'own_conversations'), 1000))
    await inTransaction(run, async () => {
      for (const { user_id, recipients, read_floor } of some) {
        const userIds = [...new Set(ids.list('user', idsIn(recipients)))].sort((a, b) => a - b)
        const user = ids.find('user', user_id)
        if (user === undefined || !userIds.includes(user)) continue
        const key = userIds.join()
        const recipient = known.get(key) ?? (await ensureConversation(run.client, run.realm.id, userIds))
        known.set(key, recipient)
        await client.query(
          'update direct_participants set read_floor = $4 where realm_id = $1 and user_id = $2 and recipient_id = $3 and read_floor < $4',
          [realm.id, user, recipient, ids.messages.upTo(read_floor)],
        )
      }
    })
}

/**
 * What is to happen later; messages of people who have not claimed their account wait until they do. What was due in the
 * past is listed, and never sent.
 */
export async function restorePlanned(
  run: RowRun,
  directory: Directory,
  text: (content: string) => string,
): Promise<void> {
  const { ids, client, realm } = run
  const texts = async ({ content, user_id }: Row) => {
    const changed = text(short(content, 20_000))
    return {
      content: changed,
      rendered_content: (await directory.render(changed, ids.find('user', user_id) ?? 0)).html,
    }
  }
  await restoreWithIds(
    run,
    'scheduled',
    'scheduled_messages',
    await rowsOf(run, 'scheduled_messages'),
    async (row) => ({
      user_id: ids.need('user', row.user_id),
      type: row.type === 'stream' ? 'stream' : 'private',
      recipients: needed(ids.list(row.type === 'stream' ? 'channel' : 'user', idsIn(row.recipients))),
      topic: row.type === 'stream' ? oneLine(row.topic, 60) : null,
      ...(await texts(row)),
      delivery_time: dueTime(row),
      read_by_sender: row.read_by_sender === true,
      client: short(row.client, 30) || 'import',
      failed: row.failed === true,
    }),
  )
  await restoreWithIds(run, 'reminder', 'reminders', await rowsOf(run, 'reminders'), async (row) => {
    const message_id = ids.messages.find(row.message_id)
    if (message_id === undefined) throw new Error('its message is not in the file')
    return {
      user_id: ids.need('user', row.user_id),
      message_id,
      note: short(row.note, 1000),
      ...(await texts(row)),
      delivery_time: dueTime(row),
      failed: row.failed === true,
    }
  })
  await client.query(
    `select jobs.add_job('deliver_scheduled_message', json_build_object('realm_id', s.realm_id, 'scheduled_message_id', s.id),
                         run_at := delivery_time, job_key := 'deliver_scheduled_message ' || s.id)
       from scheduled_messages s join users u on u.realm_id = s.realm_id and u.id = s.user_id
      where s.realm_id = $1 and not s.failed and not u.is_imported_stub`,
    [realm.id],
  )
  await client.query(
    `select jobs.add_job('deliver_reminder', json_build_object('realm_id', realm_id, 'reminder_id', id), run_at := delivery_time)
       from reminders where realm_id = $1 and not failed`,
    [realm.id],
  )
}

function needed(recipients: number[]): number[] {
  if (recipients.length === 0) throw new Error('its recipients are not in the file')
  return recipients
}

function dueTime(row: Row): string {
  const time = microsecondsIn(row, 'delivery_time')
  if (time === undefined) throw new Error('its time is missing')
  if (row.failed !== true && time < Date.now() * 1000) throw new Error('its time is over; it was not sent')
  return timestampOf(time)
}

export async function restorePins(run: RowRun): Promise<void> {
  const { ids } = run
  await restoreWithIds(run, 'pin', 'channel_pins', await rowsOf(run, 'channel_pins'), (row) => {
    const message_id = row.message_id === null ? null : ids.messages.find(row.message_id)
    if (message_id === undefined) throw new Error('its message is not in the file')
    return {
      channel_id: ids.need('channel', row.channel_id),
      title: oneLine(row.title, 200),
      message_id,
      url: message_id === null ? webUrl(row.url) : null,
      user_id: ids.need('user', row.user_id),
      created_at: timestampIn(row, 'created_at'),
    }
  })
}

function webUrl(value: unknown): string {
  const url = clean(value)
  if (url.length > 2000 || !URL.canParse(url) || !['http:', 'https:'].includes(new URL(url).protocol))
    throw new Error('its URL is no web address')
  return url
}

/** Bots get new keys; the report names those that another system must learn. */
export async function restoreBots(run: RowRun): Promise<void> {
  const { ids, ctx } = run
  await restorePlain(run, 'bots', 'bots', (row) => ({
    user_id: ids.need('user', row.user_id),
    default_sending_channel_id: ids.find('channel', row.default_sending_channel_id) ?? null,
    default_events_channel_id: ids.find('channel', row.default_events_channel_id) ?? null,
    default_all_public_streams: row.default_all_public_streams === true,
    config_data: {},
  }))
  await restorePlain(run, 'bot_services', 'bot_services', (row) => ({
    bot_id: ids.need('user', row.bot_id),
    base_url: webUrl(row.base_url),
    interface: row.interface === 2 ? 2 : 1,
    ...sealedSecrets(ctx.vault),
  }))
  await restorePlain(run, 'bot_storage', 'bot_storage', (row) => ({
    bot_id: ids.need('user', row.bot_id),
    key: short(row.key, 1000),
    value: short(row.value, 100_000),
  }))
}

function sealedSecrets(vault: Vault): NewRow {
  return Object.fromEntries(
    Object.entries(newServiceSecrets(vault)).map(([name, bytes]) => [name, `\\x${bytes.toString('hex')}`]),
  )
}
