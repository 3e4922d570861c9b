import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'

type Rows = Record<string, object[]>

/** When the first message was sent. */
export const begin = 1_790_000_000
const realm = 5
const [everyone, members, nobody, admins] = [20, 21, 22, 23]

const systemGroups = [
  [everyone, 'role:everyone'],
  [members, 'role:members'],
  [nobody, 'role:nobody'],
  [admins, 'role:administrators'],
] as const

export const named = (id: number, name: string, more: object = {}) => ({
  id,
  usergroup_ptr: id,
  name,
  description: name,
  is_system_group: false,
  deactivated: false,
  can_mention_group: everyone,
  ...more,
})

export const person = (id: number, name: string, more: object = {}) => ({
  id,
  email: `user${id}@old.example`,
  delivery_email: `${name.toLowerCase()}@lane.example`,
  full_name: name,
  role: 400,
  is_active: true,
  is_bot: false,
  bot_type: null,
  date_joined: begin - 1000,
  timezone: 'Europe/Oslo',
  avatar_version: 1,
  twenty_four_hour_time: true,
  ...more,
})

export const channel = (id: number, name: string, more: object = {}) => ({
  id,
  name,
  description: `About ${name}`,
  date_created: begin,
  deactivated: false,
  invite_only: false,
  history_public_to_subscribers: true,
  is_web_public: false,
  recipient: id + 100,
  can_send_message_group: everyone,
  ...more,
})

export const message = (
  id: number,
  sender: number,
  recipient: number,
  subject: string,
  content: string,
  more: object = {},
) => ({
  id,
  sender,
  recipient,
  subject,
  content,
  rendered_content: '<script>never taken over</script>',
  date_sent: begin + id + 0.123456,
  sending_client: 1,
  edit_history: null,
  last_edit_time: null,
  ...more,
})

export const copy = (user_profile: number, message: number, flags_mask = 1) => ({ user_profile, message, flags_mask })

export const subscription = (user_profile: number, recipient: number, more: object = {}) => ({
  user_profile,
  recipient,
  active: true,
  color: '#112233',
  is_muted: false,
  pin_to_top: false,
  ...more,
})

export const joined = (
  modified_user: number,
  modified_stream: number,
  event_last_message_id: number,
  event_type = 301,
) => ({
  event_type,
  modified_user,
  modified_stream,
  event_last_message_id,
})

/** A tarball as `manage.py export` writes it, in a folder of its own. */
export async function zulipExport(tables: Rows, messages: Rows, files: Record<string, Buffer> = {}): Promise<Buffer> {
  const small = {
    zerver_realm: [
      { id: realm, name: 'Lane', string_id: 'lane', description: 'We *mend*.', message_retention_days: -1 },
    ],
    zerver_userprofile_crossrealm: [{ id: 7, email: 'notification-bot@zulip.com' }],
    zerver_client: [{ id: 1, name: 'website' }],
    zerver_usergroup: systemGroups.map(([id]) => ({ id })),
    zerver_namedusergroup: systemGroups.map(([id, name]) => named(id, name, { is_system_group: true })),
  }
  const merged: Rows = { ...small }
  for (const [name, rows] of Object.entries(tables)) merged[name] = [...(merged[name] ?? []), ...rows]
  const archive = pack()
  const add = (name: string, content: Buffer | object) =>
    archive.entry({ name: `zulip-export/${name}` }, Buffer.isBuffer(content) ? content : JSON.stringify(content))
  add('realm.json', merged)
  add('messages-000001.json', messages)
  for (const [name, content] of Object.entries(files)) add(name, content)
  archive.finalize()
  return gzipSync(await buffer(archive))
}
