import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { roles } from '@parley/api/common'
import { createUserGroup, getUserGroups } from '@parley/api/organization/groups'
import sharp from 'sharp'
import { noSignOn } from '../../../../config/sign-on-file.ts'
import type { Config } from '../../../../config.ts'
import { transactIn } from '../../../../context.ts'
import { buildApp } from '../../../../http/app.ts'
import { column, many } from '../../../../platform/db/query.ts'
import type { Job } from '../../../../platform/jobs/tasks.ts'
import { FormBrowser } from '../../../../testing/forms.ts'
import { addAuthenticator } from '../../../../testing/peers/authenticator.ts'
import { base, needsSlapd, people, type Slapd, service, startSlapd } from '../../../../testing/peers/slapd.ts'
import { newWorld } from '../../../../testing/world.ts'
import { changePassword } from '../../../passwords/credentials.ts'
import { hashPassword } from '../../../passwords/passwords.ts'
import { ldapDirectories } from '../ldap.ts'
import { fetchPhoto } from '../ldap-avatar.ts'
import { syncDirectories } from '../ldap-sync.ts'

const world = await newWorld()
const { ctx, host, olga, realmId } = world
const slapd = needsSlapd.skip ? ({ url: 'ldap://127.0.0.1:9' } as Slapd) : await startSlapd()
type Directory = Config['signOn']['ldap'][number]
const acme: Directory = { id: 'acme', name: 'Acme', urls: [slapd.url], base: people, ...service, create_users: true }

/** The server with these directories. */
function serverWith(...ldap: Directory[]) {
  const config: Config = { ...ctx.config, signOn: { ...noSignOn, ldap } }
  const own = { ...ctx, config }
  const all = { ...own, directories: ldapDirectories(own) }
  const app = buildApp(all)
  after(() => app.close())
  return { app, ctx: all }
}
const usual = serverWith(acme)

let asked = 0
/** Asks for an API key, each time from another IP address. */
async function signIn(email: string, password: string, { app } = usual) {
  const { statusCode, body } = await app.inject({
    method: 'POST',
    url: '/api/v1/fetch_api_key',
    remoteAddress: `10.2.${asked >> 8}.${asked++ % 256}`,
    headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ username: email, password }).toString(),
  })
  return { status: statusCode, ...(JSON.parse(body) as { msg: string; user_id?: number; api_key?: string }) }
}

const emailOf = (uid: string) => `${uid}@acme.test`
const person = (uid: string, more = {}) => slapd.add(uid, { mail: emailOf(uid), userPassword: `of ${uid}`, ...more })

async function setPassword(userId: number, password: string) {
  const hash = await hashPassword(password)
  await transactIn(ctx, realmId, (tx) => changePassword(tx, userId, hash, null))
}

/** A server that is no directory. */
async function listen(answer: (socket: Socket) => void): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function isActive(id: number): Promise<boolean> {
  return (await ctx.db.selectFrom('users').select('is_active').where('id', '=', id).executeTakeFirstOrThrow()).is_active
}

const sync = ({ ctx: own } = usual) => syncDirectories(own, { realm_id: realmId })

test('a new person signs in with the password of the directory, on the page and in apps', needsSlapd, async () => {
  await person('nora', { cn: 'Nora N.' })
  assert.equal((await signIn(emailOf('nora'), 'wrong')).status, 401)
  const { user_id } = await signIn('  NORA@acme.test ', 'of nora')
  const row = await ctx.db.selectFrom('users').selectAll().where('id', '=', user_id!).executeTakeFirstOrThrow()
  assert.deepEqual([row.full_name, row.email, row.role], ['Nora N.', emailOf('nora'), roles.member])
  const browser = new FormBrowser({ app: usual.app, host })
  await browser.post('/login', { email: emailOf('nora'), password: 'of nora' })
  assert.match((await browser.open('/sessions')).body, /signed in as Nora N/)
  const methods = await column<string>(ctx.db)`
    select target ->> 'method' from audit_log where realm_id = ${realmId} and action = 'signed_in'
       and target ->> 'user_id' = ${String(user_id)} order by number`
  assert.deepEqual(methods, ['ldap', 'ldap'])
})

test(
  'an existing account is linked by its email, and then only the password of the directory counts',
  needsSlapd,
  async () => {
    const user = await world.add('ingo')
    await setPassword(user.id, 'a local password')
    assert.equal((await signIn(user.credentials.email, 'a local password')).user_id, user.id)
    await slapd.add('ingo', { mail: user.credentials.email, userPassword: 'of ingo' })
    assert.equal((await signIn(user.credentials.email, 'of ingo')).user_id, user.id)
    assert.equal((await signIn(user.credentials.email, 'a local password')).status, 401)
  },
)

test('a linked account follows its entry, not its email', needsSlapd, async () => {
  const dn = await person('jule')
  const { user_id } = await signIn(emailOf('jule'), 'of jule')
  await slapd.change(dn, 'mail', 'jule.new@acme.test')
  assert.equal((await signIn('jule.new@acme.test', 'of jule')).user_id, user_id)
  assert.equal((await signIn(emailOf('jule'), 'of jule')).user_id, user_id)
  await slapd.add('other', { mail: emailOf('jule'), userPassword: 'of other' })
  assert.equal((await signIn(emailOf('jule'), 'of other')).status, 401)
})

test('an empty password opens nothing, although servers accept it', needsSlapd, async () => {
  await person('kira')
  for (const password of ['', '\0']) assert.ok((await signIn(emailOf('kira'), password)).status >= 400)
  assert.equal((await signIn(emailOf('kira'), 'of kira')).status, 200)
})

const injections = [
  '*',
  '*)(mail=*',
  `lina@acme.test)(uid=*`,
  'l*@acme.test',
  '\\6cina@acme.test',
  'lina@acme.test\\00',
]
for (const email of injections)
  test(`the email ${JSON.stringify(email)} is a value, not a part of a filter`, needsSlapd, async () => {
    if (email === injections[0]) await person('lina')
    const { status, msg } = await signIn(email, 'of lina')
    assert.ok(status === 401 || status === 400, msg)
  })

test('two entries with one email: neither signs in', needsSlapd, async () => {
  for (const uid of ['mia', 'mia2']) await slapd.add(uid, { mail: emailOf('mia'), userPassword: `of ${uid}` })
  for (const uid of ['mia', 'mia2']) assert.equal((await signIn(emailOf('mia'), `of ${uid}`)).status, 401)
})

test('an entry that the filter leaves out does not sign in', needsSlapd, async () => {
  const { app, ctx: own } = serverWith({ ...acme, filter: '(&(objectClass=inetOrgPerson)(!(employeeType=disabled)))' })
  const dn = await person('nils', { employeeType: 'disabled' })
  assert.equal((await signIn(emailOf('nils'), 'of nils', { app, ctx: own })).status, 401)
  await slapd.change(dn, 'employeeType', 'active')
  assert.equal((await signIn(emailOf('nils'), 'of nils', { app, ctx: own })).status, 200)
})

test('an entry without a password does not sign in', needsSlapd, async () => {
  await slapd.add('olaf', { mail: emailOf('olaf') })
  assert.equal((await signIn(emailOf('olaf'), 'anything')).status, 401)
})

test('an email of a domain that is not of the directory opens no account', needsSlapd, async () => {
  const strict = serverWith({ ...acme, email_domains: ['acme.test'] })
  await slapd.add('mallory', { mail: olga.credentials.email, userPassword: 'of mallory' })
  const { status, msg } = await signIn(olga.credentials.email, 'of mallory', strict)
  assert.deepEqual([status, /not confirmed/.test(msg)], [400, true])
})

test('redirects to another server are not followed', needsSlapd, async () => {
  let visits = 0
  const trap = await listen((socket) => {
    visits++
    socket.destroy()
  })
  await slapd.addReferral('rita', `${trap}/uid=rita,${people}`)
  assert.equal((await signIn(emailOf('rita'), 'of rita')).status, 401)
  const elsewhere = serverWith({ ...acme, base: `uid=rita,${people}` })
  assert.ok((await signIn(emailOf('rita'), 'of rita', elsewhere)).status >= 400)
  assert.equal(visits, 0)
})

test('without create_users, only existing accounts are opened', needsSlapd, async () => {
  await person('paul')
  const { create_users: _, ...closed } = acme
  const { status, msg } = await signIn(emailOf('paul'), 'of paul', serverWith(closed))
  assert.deepEqual([status, /no account/.test(msg)], [400, true])
})

test('mapped groups follow the directory, with the next sign-in or comparison', needsSlapd, async () => {
  await olga.does(createUserGroup, { name: 'makers', description: '', members: [] })
  const grouped = serverWith({ ...acme, group_base: `ou=groups,${base}`, groups: { engineers: 'makers' } })
  await slapd.addGroup('engineers', [await person('quin')])
  const { user_id } = await signIn(emailOf('quin'), 'of quin', grouped)
  const makers = async () => (await olga.does(getUserGroups)).user_groups.find(({ name }) => name === 'makers')!.members
  assert.deepEqual(await makers(), [user_id])
  await slapd.change(`cn=engineers,ou=groups,${base}`, 'member', service.bind_dn)
  await signIn(emailOf('quin'), 'of quin', grouped)
  assert.deepEqual(await makers(), [])
  await slapd.change(`cn=engineers,ou=groups,${base}`, 'member', `UID=Quin, ${people}`)
  await sync(grouped)
  assert.deepEqual(await makers(), [user_id])
  await slapd.change(`cn=engineers,ou=groups,${base}`, 'member', service.bind_dn)
  await sync(grouped)
  assert.deepEqual(await makers(), [])
})

test('the photo of the entry becomes the avatar of users who have none', needsSlapd, async () => {
  const photos = serverWith({ ...acme, avatar_attribute: 'jpegPhoto' })
  const red = { width: 60, height: 40, channels: 3, background: 'red' } as const
  await slapd.change(await person('rolf'), 'jpegPhoto', await sharp({ create: red }).jpeg().toBuffer())
  const { user_id } = await signIn(emailOf('rolf'), 'of rolf', photos)
  const [job] = await column<Job<'fetch_directory_avatar'>>(ctx.db)`
    select payload from jobs.jobs where task = 'fetch_directory_avatar' and (payload ->> 'user_id') = ${String(user_id)}`
  await fetchPhoto(photos.ctx, job!)
  const user = await ctx.db
    .selectFrom('users')
    .select('avatar_path')
    .where('id', '=', user_id!)
    .executeTakeFirstOrThrow()
  assert.ok(user.avatar_path)
})

test('a second factor of ours is asked for', needsSlapd, async () => {
  const user = await world.add('rosa')
  await slapd.add('rosa', { mail: user.credentials.email, userPassword: 'of rosa' })
  await addAuthenticator(world, user)
  assert.match((await signIn(user.credentials.email, 'of rosa')).msg, /two-step/)
})

test('TLS and StartTLS need a certificate that is trusted, for the right host', needsSlapd, async () => {
  await person('sina')
  const ca_file = slapd.certificate
  const local = slapd.url.replace('127.0.0.1', 'localhost')
  const servers: [Partial<Directory>, number][] = [
    [{ urls: [slapd.secureUrl], ca_file }, 200],
    [{ urls: [slapd.secureUrl] }, 503],
    [{ urls: [slapd.secureUrl.replace('localhost', '127.0.0.1')], ca_file }, 503],
    [{ urls: [local], start_tls: true, ca_file }, 200],
    [{ urls: [`${local}/`], start_tls: true }, 503],
    [{ urls: [slapd.url], start_tls: true, ca_file }, 503],
  ]
  for (const [how, expected] of servers) {
    const { status, msg } = await signIn(emailOf('sina'), 'of sina', serverWith({ ...acme, ...how }))
    assert.equal(status, expected, `${JSON.stringify(how)}: ${msg}`)
  }
})

test('the next server is used if the first does not answer', needsSlapd, async () => {
  await person('tina')
  const silent = await listen(() => {})
  const urls = ['ldap://127.0.0.1:9', silent, slapd.url]
  const several = serverWith({ ...acme, urls, timeout_seconds: 1 })
  assert.equal((await signIn(emailOf('tina'), 'of tina', several)).status, 200)
})

test('an account is deactivated when its entry is gone, and comes back with it', needsSlapd, async () => {
  const keep = await Promise.all(['uta1', 'uta2'].map(async (uid) => [uid, await person(uid)] as const))
  const ids = new Map<string, number>()
  for (const [uid] of keep) ids.set(uid, (await signIn(emailOf(uid), `of ${uid}`)).user_id!)
  const [gone, stays] = [ids.get('uta1')!, ids.get('uta2')!]
  const filtered = serverWith({ ...acme, filter: '(&(objectClass=inetOrgPerson)(!(employeeType=disabled)))' })

  await slapd.change(keep[0]![1], 'employeeType', 'disabled')
  await sync(filtered)
  assert.deepEqual([await isActive(gone), await isActive(stays)], [false, true])
  await slapd.change(keep[0]![1], 'employeeType', undefined)
  await sync(serverWith({ ...acme, reactivate_users: false }))
  assert.equal(await isActive(gone), false)
  await sync()
  assert.equal(await isActive(gone), true)
  const rows = await many<{ action: string; acting_user_id: number | null }>(ctx.db)`
    select action, acting_user_id from audit_log where realm_id = ${realmId}
       and target ->> 'user_id' = ${String(gone)} and action ~ '^(user|identity)_.*(activated|gone|returned)$' order by number`
  const none = { acting_user_id: null }
  assert.deepEqual(rows, [
    { action: 'user_deactivated', ...none },
    { action: 'identity_gone', ...none },
    { action: 'user_reactivated', ...none },
    { action: 'identity_returned', ...none },
  ])
})

test('an account that an administrator deactivated stays so', needsSlapd, async () => {
  await person('vera')
  const { user_id } = await signIn(emailOf('vera'), 'of vera')
  await ctx.db.updateTable('users').set({ is_active: false }).where('id', '=', user_id!).execute()
  await sync()
  assert.equal(await isActive(user_id!), false)
  assert.equal((await signIn(emailOf('vera'), 'of vera')).status, 401)
})

test('the last owner is never deactivated, and gets in without the directory', needsSlapd, async () => {
  await setPassword(olga.id, 'the password of olga')
  const dn = await slapd.add('olga', { mail: olga.credentials.email, userPassword: 'of olga' })
  await slapd.remove(`uid=mallory,${people}`)
  assert.equal((await signIn(olga.credentials.email, 'of olga')).user_id, olga.id)
  await slapd.remove(dn)
  await sync()
  assert.equal(await isActive(olga.id), true)
  assert.equal((await signIn(olga.credentials.email, 'the password of olga')).user_id, olga.id)
})

test('a directory that has none of its people any more ends no accounts', needsSlapd, async () => {
  const empty = serverWith({ ...acme, filter: '(objectClass=device)' })
  const before = await column<number>(
    ctx.db,
  )`select id from users where realm_id = ${realmId} and is_active order by id`
  await sync(empty)
  const now = await column<number>(ctx.db)`select id from users where realm_id = ${realmId} and is_active order by id`
  assert.deepEqual(now, before)
})

test('a service account with a wrong password: nobody is ended, and the log says why', needsSlapd, async () => {
  const wrong = serverWith({ ...acme, bind_password: 'wrong' })
  await person('wanda')
  assert.equal((await signIn(emailOf('wanda'), 'of wanda', wrong)).status, 503)
  const { user_id } = await signIn(emailOf('wanda'), 'of wanda')
  await sync(wrong)
  assert.equal(await isActive(user_id!), true)
})

test('neither the answer nor its time reveals whether there is an entry', needsSlapd, async () => {
  await person('xenia')
  await signIn(emailOf('xenia'), 'of xenia')
  const times: Record<string, number[]> = { xenia: [], nobody: [] }
  const answers = new Set<string>()
  for (let round = 0; round < 5; round++)
    for (const [uid, list] of Object.entries(times)) {
      const start = performance.now()
      const { status, msg } = await signIn(emailOf(uid), 'wrong')
      list.push(performance.now() - start)
      answers.add(`${status} ${msg}`)
    }
  assert.equal(answers.size, 1)
  const [one, other] = Object.values(times).map((list) => list.sort((a, b) => a - b)[1]!)
  const ratio = one! / other!
  assert.ok(ratio > 0.4 && ratio < 2.5, `the times differ by ${ratio.toFixed(2)}`)
})
