import { type Role, roles } from '@parley/api/common'
import { lookup } from '@parley/api/lookup'
import { userSettings } from '@parley/api/settings'
import { Compile } from 'typebox/compile'
import { transactIn } from '../../../context.ts'
import { syncFullMembers } from '../../../organization/groups/full-members.ts'
import { directGroupsOf } from '../../../organization/groups/system-groups.ts'
import { emailDomain, emailKey } from '../../../platform/emails.ts'
import { hashKey, newKey } from '../../../platform/secrets.ts'
import { emailOf, nameOf } from '../records/import-people.ts'
import { chunksOf, inTransaction } from '../run.ts'
import { timezoneOf } from '../timezones.ts'
import { insertRows, type NewRow, type RowRun, restoreWithIds, rowsOf } from './restore-rows.ts'
import { clean, integerIn, type Row, timestampIn } from './row-values.ts'

/** People before bots, which belong to them. Returns the rows of accounts that are new. */
export async function restoreUsers(run: RowRun): Promise<Row[]> {
  const all = (await rowsOf(run, 'users')).filter((row) => row.is_system_bot !== true)
  const [bots, people] = [all.filter(isBot), all.filter((row) => !isBot(row))]
  const matched = await matchAccounts(run, people)
  const others = people.filter(({ id }) => !matched.has(id))
  const taken = await takenEmails(run)
  const record = (row: Row, id: number) => userRecord(run, row, id, taken)
  const written = [
    ...(await restoreWithIds(run, 'user', 'users', others, record)),
    ...(await restoreWithIds(run, 'user', 'users', bots, record)),
  ]
  await joinRoleGroups(run, written)
  return written
}

function isBot({ bot_type }: Row): boolean {
  return typeof bot_type === 'number'
}

/** People with an account here, if the options say that their domain is trusted. */
async function matchAccounts(run: RowRun, people: Row[]): Promise<Set<unknown>> {
  const { client, realm, ids, options } = run
  const candidates = people.filter((row) => options.match.includes(emailDomain(emailIn(row))))
  if (candidates.length === 0) return new Set()
  const { rows } = await client.query<{ email_key: string; id: number }>(
    'select email_key, id from users where realm_id = $1 and not is_imported_stub and email_key = any($2)',
    [realm.id, candidates.map((row) => emailKey(emailIn(row)))],
  )
  const accounts = new Map(rows.map(({ email_key, id }) => [email_key, Number(id)]))
  const found = candidates.filter((row) => accounts.has(emailKey(emailIn(row))))
  for (const row of found) ids.set('user', row.id as number, accounts.get(emailKey(emailIn(row)))!)
  return new Set(found.map(({ id }) => id))
}

async function takenEmails({ client, realm }: RowRun): Promise<Set<string>> {
  const { rows } = await client.query<{ email_key: string }>('select email_key from users where realm_id = $1', [
    realm.id,
  ])
  return new Set(rows.map(({ email_key }) => email_key))
}

function emailIn({ delivery_email, email }: Row): string {
  return clean(delivery_email) || clean(email)
}

function userRecord(run: RowRun, row: Row, id: number, taken: Set<string>): NewRow {
  const full_name = nameOf(run, { key: String(row.id), names: [clean(row.full_name)] })
  if (full_name !== row.full_name) run.renamed.set(id, full_name)
  const email = uniqueEmail(run, row, taken)
  const key = newKey()
  const bot = isBot(row)
  return {
    email,
    email_key: emailKey(email),
    full_name,
    role: roleOf(run, row),
    is_active: row.is_active !== false,
    bot_type: bot ? (integerIn(row.bot_type, 1, 4) ?? 1) : null,
    bot_owner_id: bot ? (run.ids.find('user', row.bot_owner_id) ?? null) : null,
    is_system_bot: false,
    api_key_hash: hex(hashKey(key)),
    api_key_sealed: hex(run.ctx.vault.seal(key)),
    date_joined: timestampIn(row, 'date_joined'),
    timezone: timezoneOf(row.timezone),
    avatar_source: 'G',
    avatar_version: integerIn(row.avatar_version, 1, 1_000_000) ?? 1,
    settings: validSettings(row.settings),
    can_create_users: false,
    can_change_user_emails: false,
    is_imported_stub: !bot && (run.open.isOurs ? row.is_imported_stub === true : true),
  }
}

/** Bots of another host keep their emails: nothing is ever sent there. */
function uniqueEmail(run: RowRun, row: Row, taken: Set<string>): string {
  const email = emailIn(row)
  const isTaken = taken.has(emailKey(email))
  const chosen = emailOf(run, { key: String(row.id), email }, isTaken)
  taken.add(emailKey(chosen))
  return chosen
}

function hex(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`
}

const knownRoles = new Set<unknown>(Object.values(roles))

/** Nobody gets a role above member, unless it is our own export or the options say so. */
function roleOf({ open, options }: RowRun, row: Row): Role {
  const { ownerEmail } = options
  if (!isBot(row) && ownerEmail !== null && emailKey(emailIn(row)) === emailKey(ownerEmail)) return roles.owner
  const role = knownRoles.has(row.role) ? (row.role as Role) : roles.member
  return open.isOurs || options.roles || role === roles.guest ? role : roles.member
}

const checks = Object.fromEntries(Object.entries(userSettings).map(([name, { schema }]) => [name, Compile(schema)]))

/** The settings that we have, with values that they can have. */
export function validSettings(settings: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries((settings ?? {}) as Row).filter(([name, value]) => lookup(checks, name)?.Check(value)),
  )
}

/** The web client's arrangement of channels, once those are there. */
export async function renumberSidebars({ client, realm, ids, keepsIds }: RowRun, written: Row[]): Promise<void> {
  if (keepsIds) return
  for (const { id, settings } of written) {
    const { web_sidebar } = validSettings(settings)
    if (typeof web_sidebar !== 'string' || web_sidebar === '') continue
    await client.query(
      `update users set settings = settings || jsonb_build_object('web_sidebar', $3::text) where realm_id = $1 and id = $2`,
      [
        realm.id,
        ids.need('user', id),
        withNewChannels(web_sidebar, (channel) => ids.find('channel', channel) ?? channel),
      ],
    )
  }
}

/** Another client may have stored anything. */
function withNewChannels(layout: string, channelOf: (id: unknown) => unknown): string {
  try {
    const { sections, order } = JSON.parse(layout) as { sections: { channels: unknown[] }[]; order: unknown[] }
    const renumbered = sections.map((one) => ({ ...one, channels: one.channels.map(channelOf) }))
    return JSON.stringify({ sections: renumbered, order: order.map(channelOf) })
  } catch {
    return layout
  }
}

/** Membership in system groups follows from the role. */
async function joinRoleGroups(run: RowRun, written: Row[]): Promise<void> {
  const { client, realm, ids } = run
  const userIds = written.map(({ id }) => ids.need('user', id))
  for (const some of chunksOf(userIds, 1000)) {
    const { rows } = await client.query<{ id: number; role: Role }>(
      'select id, role from users where realm_id = $1 and id = any($2)',
      [realm.id, some],
    )
    const members = rows.flatMap(({ id, role }) =>
      directGroupsOf(role, false).map((name) => ({ group_id: realm.systemGroups[name], user_id: id })),
    )
    await inTransaction(run, () => insertRows(run, 'group_members', members))
  }
}

/** Once the waiting period is known. */
export async function countFullMembers({ ctx, realm }: RowRun): Promise<void> {
  const { realm: current } = await ctx.realms.get(realm.id)
  await transactIn(ctx, realm.id, (tx) => syncFullMembers(tx, current, current.settings.waiting_period_threshold))
}
