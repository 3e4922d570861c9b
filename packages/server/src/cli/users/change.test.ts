import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { roles } from '@parley/api/common'
import { getUser } from '@parley/api/people/users'
import { tempFolder } from '../../platform/postgres/test-support.ts'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { until } from '../../testing/until.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { commandIn } from '../../testing/world-command.ts'

const folder = tempFolder({ after })

function csv(...lines: string[]): string {
  const file = join(mkdtempSync(join(folder, 'csv-')), 'people.csv')
  writeFileSync(file, lines.join('\n'))
  return file
}

async function emailsOf({ ctx }: World, ...actors: Actor[]): Promise<string[]> {
  const rows = await ctx.db.selectFrom('users').select(['id', 'email']).execute()
  return actors.map(({ id }) => rows.find((row) => row.id === id)!.email)
}

async function audited({ ctx, realmId }: World): Promise<object[]> {
  const rows = ctx.db
    .selectFrom('audit_log')
    .select(['action', 'via', 'acting_user_id'])
    .where('realm_id', '=', realmId)
  return rows.orderBy('number', 'desc').limit(1).execute()
}

const seenBy = async (viewer: Actor, { id }: Actor) => (await viewer.does(getUser, { path: { user_id: id } })).user

test('accounts are deactivated and reactivated with the events and audit rows of the API', async () => {
  const world = await newWorld()
  const { ann, ben, olga } = world
  const [email] = await emailsOf(world, ben)
  await ann.registers()

  assert.deepEqual(await commandIn(world, 'user', 'deactivate', email!), { code: 0, output: `${email}: deactivated\n` })

  const event = await until(async () => (await ann.receives('realm_user'))[0])
  assert.deepEqual(event.person, { user_id: ben.id, is_active: false })
  assert.deepEqual(await audited(world), [{ action: 'user_deactivated', via: 'command', acting_user_id: null }])
  assert.equal((await commandIn(world, 'user', 'deactivate', email!)).output, `${email}: nothing to do\n`)
  assert.equal((await commandIn(world, 'user', 'reactivate', email!)).output, `${email}: reactivated\n`)
  assert.equal((await seenBy(olga, ben)).is_active, true)
})

test('the last owner and bots are refused, and the others are changed', async () => {
  const world = await newWorld()
  const { olga, ben, ann } = world
  const [owner, member] = await emailsOf(world, olga, ben)
  const file = csv('email', owner!, member!, 'nobody@example.com', 'notification-bot@zulip.com')

  const { code, output } = await commandIn(world, 'user', 'deactivate', '--csv', file)

  assert.equal(code, 1)
  assert.match(output, /^\S+: refused: Cannot deactivate the only organization owner\n/)
  assert.match(output, new RegExp(`\n${member}: deactivated\nnobody@example.com: refused: No such user\n`))
  assert.equal((await seenBy(ann, ben)).is_active, false)
  const demoted = await commandIn(world, 'user', 'set-role', owner!, '--role', 'member')
  assert.match(demoted.output, /refused: The owner permission cannot be removed from the only organization owner\./)
})

test('a dry run says what would be done, each line after those before it, and changes nothing', async () => {
  const world = await newWorld()
  const { olga, ann, ben } = world
  const [owner, member] = await emailsOf(world, olga, ben)
  const file = csv('email,role', `${member},owner`, `${owner},member`)

  const { code, output } = await commandIn(world, 'user', 'set-role', '--csv', file, '--dry-run')

  assert.equal(code, 0, output)
  assert.match(
    output,
    /: is now owner, was member\n.*: is now member, was owner\nNothing was changed: this was a dry run/,
  )
  assert.equal((await seenBy(ann, ben)).role, roles.member)
  assert.equal((await commandIn(world, 'user', 'set-role', '--csv', file)).code, 0)
  assert.equal((await seenBy(ann, ben)).role, roles.owner)
})

test('a role needs to be given, and to exist', async () => {
  const world = await newWorld()
  const none = await commandIn(world, 'user', 'set-role', 'ann@example.com')
  const wrong = await commandIn(world, 'user', 'set-role', '--csv', csv('email,role', 'ann@example.com,boss'))
  assert.match(none.output, /^Account 1 has no role: give --role, or the column role\./)
  assert.match(wrong.output, /^Account 1: the role must be one of owner/)
})

test('emails are changed, unless another account has them', async () => {
  const world = await newWorld()
  const [member, other] = await emailsOf(world, world.ben, world.ann)
  const change = (to: string) => commandIn(world, 'user', 'change-email', member!, to)

  assert.match((await change(other!)).output, /refused: Email is already in use/)
  assert.match((await change('nonsense')).output, /refused: Invalid email address/)
  assert.equal((await change('benjamin@example.com')).output, `${member}: has the email benjamin@example.com\n`)
  assert.deepEqual(await emailsOf(world, world.ben), ['benjamin@example.com'])
  assert.match((await commandIn(world, 'user', 'change-email', 'a@example.com')).output, /^Give the email address and/)
})

test('sessions are listed and ended', async () => {
  const world = await newWorld()
  const { ctx, realmId, ben } = world
  const [email] = await emailsOf(world, ben)
  const session = { realm_id: realmId, user_id: ben.id, kind: 'session', name: '', ip_address: '192.0.2.7' }
  await ctx.db
    .insertInto('credentials')
    .values({ ...session, secret_hash: Buffer.from('secret'), user_agent: 'Mozilla/5.0 (X11; Linux) Firefox/140.0' })
    .execute()

  assert.match(
    (await commandIn(world, 'user', 'sessions', email!)).output,
    /^ID +DEVICE +IP ADDRESS .*\n\d+ +.*192\.0\.2\.7/,
  )
  const [listed] = JSON.parse((await commandIn(world, 'user', 'sessions', email!, '--json')).output)
  assert.equal(listed.ip_address, '192.0.2.7')
  assert.equal((await commandIn(world, 'user', 'sessions', '--end', email!)).output, `${email}: ended a session\n`)
  assert.equal((await commandIn(world, 'user', 'sessions', email!)).output, `${email} has no browser sessions.\n`)
})

test('accounts are added to channels and groups; archived and unknown ones are refused', async () => {
  const world = await newWorld()
  const { olga, ben } = world
  const [email] = await emailsOf(world, ben)
  await inChannel('verona', [olga])
  const addTo = (...places: string[]) => commandIn(world, 'user', 'add-to', email!, ...places)
  await ben.registers()

  const added = await addTo('--channel', 'Verona')
  assert.equal(added.output, `${email}: added to #verona\n`)
  assert.ok(await until(async () => (await ben.receives('subscription'))[0]))
  assert.equal((await addTo('--channel', 'verona')).output, `${email}: nothing to do\n`)
  assert.match((await addTo('--channel', 'venice')).output, /refused: There is no channel "venice"/)
  assert.match((await addTo('--group', 'role:members')).output, /set the role instead/)
  assert.match((await addTo()).output, /^Give --channel or --group/)
})
