import { channelPermissionNames } from '@parley/api/conversations/channels'
import { nameLimits } from '@parley/api/limits'
import { channelGroupSettings } from '@parley/api/permission-settings'
import { channelKey } from '../../../conversations/channels/settings/channel-names.ts'
import { presetOf } from '../../../conversations/channels/subscriptions/colors.ts'
import { firstCharacters, foldCase, lengthOf } from '../../../platform/text.ts'
import { type ChannelPlace, chunksOf, findMapped, inTransaction, type Run, storeMapped } from '../run.ts'
import { namesFor } from './names.ts'
import type { ImportedChannel, Membership } from './records.ts'
import { uniqueNames } from './unique-names.ts'

const rowsAtOnce = 5000

/** Creates folders, channels and subscriptions that do not exist yet. */
export async function importPlaces(run: Run): Promise<void> {
  const folders = await inTransaction(run, () => importFolders(run))
  await inTransaction(run, () => importChannels(run, folders))
  for (const list of chunksOf(run.plan.memberships, rowsAtOnce)) await inTransaction(run, () => subscribe(run, list))
}

async function importFolders(run: Run): Promise<Map<string, number>> {
  const { client, realm, plan } = run
  const names = [...new Set([...plan.channels.values()].flatMap(({ folder }) => folder ?? []))]
  const known = await findMapped(run, 'folder', names)
  const folders = new Map([...known].map(([name, { id }]) => [name, id]))
  for (const name of names.filter((one) => !known.has(one))) {
    const text = printable(name, nameLimits.folder)
    const { rows } = await client.query<{ id: number }>(
      `insert into channel_folders (realm_id, name, name_key, place)
       select $1, $2, $3, coalesce(max(place) + 1, 0) from channel_folders where realm_id = $1
           on conflict (realm_id, name_key) where not is_archived do update set name = channel_folders.name
       returning id`,
      [realm.id, text, foldCase(text)],
    )
    folders.set(name, rows[0]!.id)
    await storeMapped(run, (sql, values) => client.query(sql, values), 'folder', [[name, rows[0]!.id]])
  }
  return folders
}

/** In two steps, because descriptions can name any channel. */
async function importChannels(run: Run, folders: Map<string, number>): Promise<void> {
  const all = [...run.plan.channels.values()]
  const known = await findMapped(
    run,
    'channel',
    all.map(({ key }) => key),
  )
  const fresh = all.filter(({ key }) => !known.has(key))
  const names = uniqueNames(fresh, await takenNames(run))
  const made: [string, number][] = []
  for (const channel of fresh)
    made.push([channel.key, await createChannel(run, channel, names.get(channel.key)!, folders)])
  await storeMapped(run, (sql, values) => run.client.query(sql, values), 'channel', made)
  await remember(run, new Map([...[...known].map(([key, { id }]) => [key, id] as const), ...made]))
  for (const channel of fresh) await describe(run, channel)
}

async function takenNames({ client, realm }: Run): Promise<Set<string>> {
  const { rows } = await client.query<{ name_key: string }>('select name_key from channels where realm_id = $1', [
    realm.id,
  ])
  return new Set(rows.map(({ name_key }) => name_key))
}

async function createChannel(
  { client, realm, plan }: Run,
  { key, name: wanted, folder, isPrivate, isArchived, isDefault }: ImportedChannel,
  name: string,
  folders: Map<string, number>,
): Promise<number> {
  if (name !== wanted)
    plan.problem({ kind: 'changed', place: `channel ${key}`, error: `the name "${wanted}" became "${name}"` })
  const groups = channelPermissionNames.map(
    (permission) => realm.systemGroups[channelGroupSettings[permission].default],
  )
  const { rows } = await client.query<{ id: number }>(
    `insert into channels (realm_id, name, name_key, invite_only, is_archived, folder_id, ${channelPermissionNames.join()})
     values ($1, $2, $3, $4, $5, $6, ${groups.map((_, index) => `$${index + 7}`).join()}) returning id`,
    [
      realm.id,
      name,
      channelKey(name),
      isPrivate,
      isArchived,
      folder === undefined ? null : folders.get(folder),
      ...groups,
    ],
  )
  const { id } = rows[0]!
  if (isDefault)
    await client.query('insert into default_channels (realm_id, channel_id) values ($1, $2)', [realm.id, id])
  return id
}

async function remember({ client, realm, channels }: Run, ids: Map<string, number>): Promise<void> {
  const { rows } = await client.query<{ id: number; recipient_id: number; name: string; invite_only: boolean }>(
    'select id, recipient_id, name, invite_only from channels where realm_id = $1 and id = any($2)',
    [realm.id, [...ids.values()]],
  )
  const byId = new Map(
    rows.map(({ id, recipient_id, name, invite_only }): [number, ChannelPlace] => [
      id,
      { id, recipientId: recipient_id, name, isPrivate: invite_only },
    ]),
  )
  for (const [key, id] of ids) if (byId.has(id)) channels.set(key, byId.get(id)!)
}

/** Everybody who sees the channel reads it, so it links only to public ones. */
async function describe(run: Run, { key, description }: ImportedChannel): Promise<void> {
  const { names, context } = namesFor(run, key, undefined)
  const converted = run.source.toMarkup(description, key, names)
  const text = printable(converted, nameLimits.channelDescription)
  if (lengthOf(converted) > nameLimits.channelDescription)
    run.plan.problem({ kind: 'changed', place: `channel ${key}`, error: 'the description was cut' })
  const { html } = run.ctx.renderer.renderNow(text, { ...context(), previews: false })
  await run.client.query(
    'update channels set description = $3, rendered_description = $4 where realm_id = $1 and id = $2',
    [run.realm.id, run.channels.get(key)!.id, text, html],
  )
}

function printable(text: string, longest: number): string {
  return firstCharacters(
    text.replace(/[\p{Control}\p{Surrogate}\p{Noncharacter_Code_Point}\s]+/gu, ' ').trim(),
    longest,
  )
}

/** Everybody was there from the beginning: history is shared. Who left since an earlier import is not subscribed again. */
async function subscribe(run: Run, list: Membership[]): Promise<void> {
  const { client, realm, people, channels, members, plan } = run
  const rows = []
  for (const one of list) {
    const [person, channel] = [people.get(one.user), channels.get(one.place)]
    if (one.place.startsWith('@')) continue
    if (person && channel && !members.has(`${one.user} ${one.place}`)) rows.push({ ...one, person, channel })
    else
      plan.problem({ kind: 'dropped', place: `${one.user} in ${one.place}`, error: 'the channel is not in the file' })
    members.add(`${one.user} ${one.place}`)
  }
  await client.query(
    `with added as (
       insert into subscriptions (realm_id, user_id, channel_id, is_active, color, is_muted, pin_to_top, desktop_notifications, push_notifications)
       select $1, user_id, channel_id, true, color, is_muted, is_pinned, desktop, push
         from unnest($2::bigint[], $3::bigint[], $4::text[], $5::boolean[], $6::boolean[], $7::boolean[], $8::boolean[])
              as one(user_id, channel_id, color, is_muted, is_pinned, desktop, push)
           on conflict do nothing returning user_id, channel_id)
     insert into subscription_periods (realm_id, user_id, channel_id, from_event, from_message)
     select $1, user_id, channel_id, c.last_event, 0 from added join realm_counters c on c.realm_id = $1`,
    [
      realm.id,
      rows.map(({ person }) => person.id),
      rows.map(({ channel }) => channel.id),
      rows.map(({ channel }) => presetOf(channel.recipientId)),
      rows.map(({ isMuted }) => isMuted),
      rows.map(({ isPinned }) => isPinned),
      rows.map(({ desktop }) => desktop ?? null),
      rows.map(({ push }) => push ?? null),
    ],
  )
}
