import { channelPermissionNames } from '@parley/api/conversations/channels'
import { nameLimits } from '@parley/api/limits'
import { lookup } from '@parley/api/lookup'
import { channelGroupSettings } from '@parley/api/permission-settings'
import { channelKey } from '../../../conversations/channels/settings/channel-names.ts'
import { presetOf } from '../../../conversations/channels/subscriptions/colors.ts'
import { foldCase } from '../../../platform/text.ts'
import { uniqueNames } from '../records/unique-names.ts'
import { inTransaction } from '../run.ts'
import { type NewRow, type RowRun, restorePlain, restoreWithIds, rowsOf } from './restore-rows.ts'
import { idsIn, integerIn, oneLine, type Row, short, timestampIn } from './row-values.ts'

export async function restoreFolders(run: RowRun): Promise<void> {
  const { ids } = run
  await restoreWithIds(run, 'folder', 'folders', await rowsOf(run, 'folders'), (row) => {
    const name = oneLine(row.name, nameLimits.folder) || `Folder ${String(row.id)}`
    return {
      name,
      name_key: foldCase(name),
      description: short(row.description, nameLimits.folderDescription),
      rendered_description: '',
      place: integerIn(row.order, 0, 1e9) ?? 0,
      creator_id: ids.find('user', row.creator_id) ?? null,
      date_created: timestampIn(row, 'date_created'),
      is_archived: row.is_archived === true,
    }
  })
}

export async function restoreChannels(run: RowRun): Promise<void> {
  const { client, realm } = run
  const rows = await rowsOf(run, 'channels')
  const taken = await client.query<{ name_key: string }>('select name_key from channels where realm_id = $1', [
    realm.id,
  ])
  const named = rows.map((row) => ({ key: String(row.id), name: nameIn(row), qualifiers: [] }))
  const names = uniqueNames(named, new Set(run.isNew ? [] : taken.rows.map(({ name_key }) => name_key)))
  const recipients = await client.query<{ id: number }>(
    `select nextval('recipient_ids') as id from generate_series(1, $1)`,
    [rows.length],
  )
  let next = 0
  await restoreWithIds(run, 'channel', 'channels', rows, (row) =>
    channelRecord(run, row, names.get(String(row.id))!, Number(recipients.rows[next++]!.id)),
  )
  await restorePlain(run, 'default_channels', 'default_channels', ({ channel_id }) => ({
    channel_id: run.ids.need('channel', channel_id),
  }))
  await restoreDefaultGroups(run)
}

function nameIn({ id, name }: Row): string {
  return oneLine(name, nameLimits.channel) || `Channel ${String(id)}`
}

function channelRecord(run: RowRun, row: Row, name: string, recipient_id: number): NewRow {
  const { ids, realm, plan } = run
  if (name !== row.name)
    plan.problem({
      kind: 'changed',
      place: `channel ${String(row.id)}`,
      error: `the name "${String(row.name)}" became "${name}"`,
    })
  const invite_only = row.invite_only === true
  const permissions = channelPermissionNames.map((permission) => [
    permission,
    ids.find('group', row[permission]) ?? realm.systemGroups[channelGroupSettings[permission].default],
  ])
  return {
    recipient_id,
    folder_id: ids.find('folder', row.folder_id) ?? null,
    name,
    name_key: channelKey(name),
    description: short(row.description, nameLimits.channelDescription),
    rendered_description: '',
    date_created: timestampIn(row, 'date_created'),
    creator_id: ids.find('user', row.creator_id) ?? null,
    invite_only,
    is_web_public: !invite_only && row.is_web_public === true,
    history_public_to_subscribers: !invite_only || row.history_public_to_subscribers !== false,
    is_archived: row.is_archived === true,
    message_retention_days: integerIn(row.message_retention_days, -1, 1e6) ?? null,
    ...Object.fromEntries(permissions),
  }
}

async function restoreDefaultGroups(run: RowRun): Promise<void> {
  const rows = await rowsOf(run, 'default_channel_groups')
  const written = await restoreWithIds(run, 'default_group', 'default_channel_groups', rows, (row) => ({
    name: oneLine(row.name, nameLimits.defaultGroup) || `Group ${String(row.id)}`,
    description: short(row.description, nameLimits.defaultGroupDescription),
  }))
  const { client, realm, ids } = run
  for (const { id, channel_ids } of written)
    await client.query(
      `insert into default_channel_group_channels (realm_id, group_id, channel_id)
       select $1, $2, unnest($3::bigint[]) on conflict do nothing`,
      [realm.id, ids.need('default_group', id), ids.list('channel', idsIn(channel_ids))],
    )
}

/** Who is, or was, in which channel; once the ids of messages are known. */
export async function restoreSubscriptions(run: RowRun): Promise<void> {
  const { ids } = run
  await restorePlain(run, 'own_subscriptions', 'subscriptions', (row) => ({
    user_id: ids.need('user', row.user_id),
    channel_id: ids.need('channel', row.channel_id),
    is_active: row.is_active !== false,
    color: /^#[0-9a-f]{6}$/.test(String(row.color)) ? row.color : presetOf(Number(row.channel_id)),
    is_muted: row.is_muted === true,
    pin_to_top: row.pin_to_top === true,
    ...notificationsIn(row),
    read_floor: ids.messages.upTo(row.read_floor),
  }))
  await restorePlain(run, 'subscriptions', 'subscriptions', (row) => ({
    user_id: ids.need('user', row.user_id),
    channel_id: ids.need('channel', row.channel_id),
    is_active: true,
    color: presetOf(Number(row.channel_id)),
    read_floor: ids.messages.upTo(Number.POSITIVE_INFINITY),
  }))
  await restorePeriods(run)
}

function notificationsIn(row: Row): NewRow {
  const values = wanted.map((name) => [name, lookup(row, name)])
  return Object.fromEntries(values.map(([name, value]) => [name, typeof value === 'boolean' ? value : null]))
}

const wanted = [
  'desktop_notifications',
  'audible_notifications',
  'push_notifications',
  'email_notifications',
  'wildcard_mentions_notify',
]

/** Events of the past exist nowhere, so the periods of a user are only counted. */
async function restorePeriods(run: RowRun): Promise<void> {
  const counts = new Map<string, number>()
  await restorePlain(run, 'subscription_periods', 'subscription_periods', (row) => {
    const user_id = run.ids.need('user', row.user_id)
    const channel_id = run.ids.need('channel', row.channel_id)
    const from_event = counts.get(`${user_id} ${channel_id}`) ?? 0
    counts.set(`${user_id} ${channel_id}`, from_event + 1)
    const isOpen = row.to_message === null || row.to_message === undefined
    return {
      user_id,
      channel_id,
      from_event,
      from_message: run.ids.messages.upTo(row.from_message),
      to_event: isOpen ? null : from_event + 1,
      to_message: isOpen ? null : run.ids.messages.upTo(row.to_message),
    }
  })
}

/** Floors of what was written since an earlier import of the file are raised, never lowered. */
export async function raiseFloors(run: RowRun): Promise<void> {
  for await (const row of run.open.rows('own_subscriptions')) {
    const [user, channel] = [run.ids.find('user', row.user_id), run.ids.find('channel', row.channel_id)]
    if (user === undefined || channel === undefined) continue
    await run.client.query(
      'update subscriptions set read_floor = $4 where realm_id = $1 and user_id = $2 and channel_id = $3 and read_floor < $4',
      [run.realm.id, user, channel, run.ids.messages.upTo(row.read_floor)],
    )
  }
}

export async function describePlaces(run: RowRun, describe: (text: string) => Promise<string>): Promise<void> {
  const { client, realm } = run
  for (const table of ['channels', 'channel_folders']) {
    const { rows } = await client.query<{ id: number; description: string }>(
      `select id, description from ${table} where realm_id = $1 and description <> '' and rendered_description = ''`,
      [realm.id],
    )
    await inTransaction(run, async () => {
      for (const { id, description } of rows)
        await client.query(`update ${table} set rendered_description = $3 where realm_id = $1 and id = $2`, [
          realm.id,
          id,
          await describe(description),
        ])
    })
  }
}
