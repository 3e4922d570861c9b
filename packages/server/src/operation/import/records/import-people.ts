import { type Role, roles } from '@parley/api/common'
import { nameLimits } from '@parley/api/limits'
import { sql } from 'kysely'
import { fakeDomain, type Realm } from '../../../callers/realm-state.ts'
import { transactIn } from '../../../context.ts'
import type { Tx } from '../../../events/transact.ts'
import { createUser } from '../../../people/users/actions.ts'
import { checkEmail, checkFullName } from '../../../people/users/profile/account-fields.ts'
import { matches } from '../../../platform/db/matches.ts'
import { many } from '../../../platform/db/query.ts'
import { emailDomain, emailKey } from '../../../platform/emails.ts'
import { firstCharacters, lengthOf } from '../../../platform/text.ts'
import type { Problems } from '../found-problems.ts'
import { chunksOf, findMapped, hashOf, type Person, type Run } from '../run.ts'
import { timezoneOf } from '../timezones.ts'
import type { ImportedUser } from './records.ts'

const usersAtOnce = 50

/** Creates the accounts that do not exist yet, people before bots, which belong to them. Returns the keys of new ones. */
export async function importPeople(run: Run): Promise<string[]> {
  const all = [...run.plan.users.values()].sort((a, b) => Number(a.bot !== undefined) - Number(b.bot !== undefined))
  const created: string[] = []
  for (const users of chunksOf(all, usersAtOnce)) {
    const known = await findMapped(
      run,
      'user',
      users.map(({ key }) => key),
    )
    const fresh = users.filter(({ key }) => !known.has(key))
    const made = await transactIn(run.ctx, run.realm.id, (tx) => createAll(tx, run, fresh))
    created.push(...fresh.map(({ key }) => key))
    const ids = new Map([...[...known].map(([key, { id }]) => [key, id] as const), ...made])
    await remember(run, ids)
  }
  await addOwner(run)
  return created
}

/** Names may have been changed since an earlier import. */
async function remember({ ctx, realm, people }: Run, ids: Map<string, number>): Promise<void> {
  const rows = await ctx.db
    .selectFrom('users')
    .select(['id', 'full_name', 'is_active'])
    .where(matches({ realm_id: realm.id, id: [...ids.values()] }))
    .execute()
  const byId = new Map(rows.map((row): [number, Person] => [row.id, personOf(row)]))
  for (const [key, id] of ids) if (byId.has(id)) people.set(key, byId.get(id)!)
}

function personOf(row: { id: number; full_name: string; is_active: boolean }): Person {
  return { id: row.id, fullName: row.full_name, isActive: row.is_active }
}

async function createAll(tx: Tx, run: Run, users: ImportedUser[]): Promise<[string, number][]> {
  const accounts = await existingAccounts(tx, users)
  const made: [string, number][] = []
  for (const user of users) {
    const account = accounts.get(emailKey(user.email ?? ''))
    const isMatch = account?.isClaimed === true && run.options.match.includes(emailDomain(user.email!))
    const id = isMatch ? account.id : await createOne(tx, run, user, account !== undefined, new Map(made))
    if (!isMatch && user.email) accounts.set(emailKey(user.email), { id, isClaimed: false })
    made.push([user.key, id])
  }
  await sql`
    insert into import_map (realm_id, kind, key_hash, new_id, import_id)
    select ${tx.realmId}, 'user', key_hash, new_id, ${run.importId}
      from unnest(${made.map(([key]) => hashOf(key))}::bytea[], ${made.map(([, id]) => id)}::bigint[]) as made(key_hash, new_id)`.execute(
    tx.db,
  )
  return made
}

interface Account {
  id: number
  /** Whether the person has confirmed the email. */
  isClaimed: boolean
}

/** The accounts that have the emails of these users. */
async function existingAccounts(tx: Tx, users: ImportedUser[]): Promise<Map<string, Account>> {
  const keys = users.map(({ email }) => emailKey(email ?? ''))
  const rows = await many<Account & { email_key: string }>(tx.db)`
    select email_key, id, not is_imported_stub as "isClaimed" from users where realm_id = ${tx.realmId} and email_key = any(${keys}::text[])`
  return new Map(rows.map(({ email_key, ...account }) => [email_key, account]))
}

async function createOne(
  tx: Tx,
  run: Run,
  user: ImportedUser,
  isTaken: boolean,
  earlier: Map<string, number>,
): Promise<number> {
  const email = emailOf(run, user, isTaken)
  const owner = user.bot?.owner
  const ownerId = owner === undefined ? null : (run.people.get(owner)?.id ?? earlier.get(owner) ?? null)
  const { id } = await createUser(tx, run.ctx.vault, run.realm, {
    email,
    full_name: nameOf(run, user),
    role: roleOf(run, user),
    ...(user.bot && { bot_type: 1, bot_owner_id: ownerId }),
  })
  await tx.db
    .updateTable('users')
    .set({ is_active: user.isActive, timezone: timezoneOf(user.timezone), is_imported_stub: user.bot === undefined })
    .where(matches({ realm_id: tx.realmId, id }))
    .execute()
  if (user.bot) await sql`insert into bots (realm_id, user_id) values (${tx.realmId}, ${id})`.execute(tx.db)
  else if (user.status) await storeStatus(tx, id, user.status)
  return id
}

async function storeStatus(tx: Tx, user_id: number, status: string): Promise<void> {
  const status_text = firstCharacters(status.trim(), nameLimits.status)
  await tx.db.insertInto('user_statuses').values({ realm_id: tx.realmId, user_id, status_text }).execute()
}

/** Nobody gets a role above member unless the options say so. */
function roleOf({ options }: Run, { role, email }: ImportedUser): Role {
  if (options.ownerEmail !== null && emailKey(email ?? '') === emailKey(options.ownerEmail)) return roles.owner
  return role === 'guest' || options.roles ? roles[role] : roles.member
}

/** Of bots, of people without a usable email, and of those whose email an account has, it is one that nobody can have. */
export function emailOf(
  { plan, realm }: { plan: Problems; realm: Realm },
  { key, email, bot }: Pick<ImportedUser, 'key' | 'email' | 'bot'>,
  isTaken: boolean,
): string {
  const stem = /^[\w.+-]{1,60}$/.test(key) && !key.startsWith('import-') ? key : `import-${hashOf(key).toString('hex')}`
  if (bot) return `${stem}-bot@${fakeDomain(realm)}`
  const standIn = `import-${hashOf(key).toString('hex')}@${fakeDomain(realm)}`
  if (!email) return standIn
  try {
    if (!isTaken) return checkEmail(email)
  } catch {}
  const why = isTaken ? 'another account has it' : 'it is not valid'
  plan.problem({ kind: 'changed', place: `user ${key}`, error: `the email ${email} was left out: ${why}` })
  return standIn
}

export function nameOf({ plan }: { plan: Problems }, { key, names }: Pick<ImportedUser, 'key' | 'names'>): string {
  const cleaned = [...names, `User ${key}`].map(cleanName).find(isName)!
  if (cleaned !== names[0]!.trim())
    plan.problem({ kind: 'changed', place: `user ${key}`, error: `the name "${names[0]}" became "${cleaned}"` })
  return cleaned
}

/** A name without what our names cannot contain. */
function cleanName(name: string): string {
  const text = name
    .replace(/[\p{Control}\p{Surrogate}\p{Noncharacter_Code_Point}]/gu, ' ')
    .replace(/[*`\\>"@]/g, '')
    .replace(/\|(?=\d+$)/, ' ')
    .trim()
  return lengthOf(text) > nameLimits.user ? firstCharacters(text, nameLimits.user).trim() : text
}

function isName(text: string): boolean {
  try {
    checkFullName(text)
    return true
  } catch {
    return false
  }
}

/** Creates the account of the owner who imports, if the file has none of theirs. */
export async function addOwner({ ctx, realm, options }: Pick<Run, 'ctx' | 'realm' | 'options'>): Promise<void> {
  const { ownerEmail } = options
  if (ownerEmail === null) return
  await transactIn(ctx, realm.id, async (tx) => {
    const email_key = emailKey(ownerEmail)
    const found = await tx.db
      .selectFrom('users')
      .select('id')
      .where(matches({ realm_id: realm.id, email_key }))
      .executeTakeFirst()
    const full_name = cleanName(ownerEmail.slice(0, ownerEmail.lastIndexOf('@')))
    if (!found)
      await createUser(tx, ctx.vault, realm, {
        email: ownerEmail,
        full_name: isName(full_name) ? full_name : 'Owner',
        role: roles.owner,
      })
  })
}
