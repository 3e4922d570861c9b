import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import * as flags from '@parley/api/conversations/flags'
import * as muting from '@parley/api/conversations/muting'
import * as api from '@parley/api/operation/export'
import * as domains from '@parley/api/organization/domains'
import * as emoji from '@parley/api/organization/emoji'
import * as alertWords from '@parley/api/people/alert-words'
import { uploadAvatar } from '@parley/api/people/avatars'
import { updateSettings } from '@parley/api/people/own-settings'
import * as snippets from '@parley/api/people/snippets'
import { sql } from 'kysely'
import sharp from 'sharp'
import { transactIn } from '../../context.ts'
import { column } from '../../platform/db/query.ts'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { storedFiles, uploads } from '../../testing/files.ts'
import { membersOf } from '../../testing/importing/archive-members.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { requestExport } from './actions.ts'
import { removeOldExports, resumeExports, runExport } from './jobs.ts'
import { makeArchive } from './making.ts'
import { exportKinds, type Limit } from './scope.ts'
import { leftOut, sections } from './sections.ts'

async function exportsOf(actor: Actor) {
  return (await actor.does(api.getExports)).exports
}

/** Requests an export, runs its background job, and returns its URL. */
async function exported({ adam, ctx, realmId }: World, export_type: 1 | 2 = 1) {
  const { id } = await adam.does(api.exportRealm, { export_type })
  await runExport(ctx, { realm_id: realmId, export_id: id })
  const { export_url } = (await exportsOf(adam)).find((one) => one.id === id)!
  return { id, path: new URL(export_url!).pathname }
}

function fetches({ app }: World, actor: Actor, url: string) {
  return app.inject({ url, headers: actor.headers })
}

/** The members of the archive by name; JSON lines are parsed. */
async function contentOf(archive: Buffer) {
  const members = await membersOf(archive)
  // biome-ignore lint/suspicious/noExplicitAny: exported rows of any table.
  const lines = (name: string): any[] =>
    String(members.get(`${name}.jsonl`))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  return { members, lines }
}

async function downloaded(world: World, type: 1 | 2 = 1) {
  const { path } = await exported(world, type)
  return contentOf((await fetches(world, world.adam, path)).rawPayload)
}

async function agrees({ ctx, realmId }: World, { id }: Actor): Promise<void> {
  await sql`update users set settings = settings || '{"allow_private_data_export": true}'
             where realm_id = ${realmId} and id = ${id}`.execute(ctx.db)
  ctx.realms.drop(realmId)
}

async function populatedWorld() {
  const world = await newWorld()
  const { ann, ben, adam, mona } = world
  await inChannel('verona', [ann, ben])
  await inChannel('secret', [ann, ben], { invite_only: true })
  await inChannel('late', [ann, mona], { invite_only: true, history_public_to_subscribers: false })
  const ids = {
    open: await ann.sends({ channel: 'verona', content: 'open' }),
    secret: await ann.sends({ channel: 'secret', content: 'secret' }),
    late: await mona.sends({ channel: 'late', content: 'late' }),
    direct: await ann.sends({ to: [ben], content: 'direct' }),
    other: await adam.sends({ to: [mona], content: 'other' }),
  }
  return { ...world, ids }
}

test('only administrators can manage exports', async () => {
  const { ann, mona, gus, olga } = await newWorld()
  for (const one of [ann, mona, gus])
    for (const operation of [api.exportRealm, api.getExports, api.getExportConsents])
      assert.equal((await one.isRefused(operation)).code, 'UNAUTHORIZED_PRINCIPAL')
  assert.equal((await ann.isRefused(api.deleteExport, { path: { export_id: 1 } })).code, 'UNAUTHORIZED_PRINCIPAL')
  await olga.does(api.exportRealm)
})

test('an export is first pending, then complete; administrators receive events for both', async () => {
  const world = await newWorld()
  const { adam, ann, olga } = world
  await olga.registers()
  await ann.registers()
  const { id } = await adam.does(api.exportRealm)
  const [pending] = await exportsOf(adam)
  assert.deepEqual([pending!.id, pending!.pending, pending!.export_url, pending!.export_type], [id, true, null, 1])
  await runExport(world.ctx, { realm_id: world.realmId, export_id: id })
  const [done] = await exportsOf(adam)
  assert.deepEqual([done!.pending, done!.acting_user_id, done!.failed_timestamp], [false, adam.id, null])
  const received = await olga.receives('realm_export')
  assert.deepEqual(
    received.map(({ exports: [one] }) => one!.pending),
    [true, false],
  )
  assert.deepEqual(await ann.receives('realm_export'), [])
})

test('the valid export types are 1 and 2', async () => {
  const { adam } = await newWorld()
  for (const export_type of [0, 3, '"1"', 'public', null])
    assert.equal((await adam.isRefused(api.exportRealm, { export_type })).code, 'BAD_REQUEST')
})

test('the sixth export in a week is refused, even if others failed or were deleted', async () => {
  const { adam, ctx, realmId } = await newWorld()
  for (let n = 0; n < 5; n++) await adam.does(api.exportRealm)
  assert.equal((await adam.isRefused(api.exportRealm)).code, 'BAD_REQUEST')
  await sql`update realm_exports set requested_at = now() - interval '8 days' where realm_id = ${realmId}`.execute(
    ctx.db,
  )
  await adam.does(api.exportRealm)
})

test('an organization that is too large needs a manual export', async () => {
  const { adam, ann, ctx, realmId } = await newWorld()
  for (let n = 0; n < 2; n++) await ann.sends({ to: [ann] })
  const request = { acting_user_id: adam.id, export_type: 1, base_url: '' } as const
  const requesting = (most: number) => transactIn(ctx, realmId, (tx) => requestExport(tx, request, most))
  await assert.rejects(requesting(1), /manual export/)
  await requesting(2)
  await sql`insert into attachments (realm_id, owner_id, name, path_id, content_type, size)
            values (${realmId}, ${ann.id}, 'x', ${`${realmId}/00/x/x`}, 'text/plain', ${20 * 1024 ** 3 + 1})`.execute(
    ctx.db,
  )
  assert.match((await adam.isRefused(api.exportRealm)).msg, /manual export/)
})

test('deleted messages do not count towards the size of an export', async () => {
  const { adam, ctx, realmId } = await newWorld()
  await sql`update realm_counters set last_message = 250001 where realm_id = ${realmId}`.execute(ctx.db)
  await adam.does(api.exportRealm)
})

test('a public export contains only public channels, and no secrets', async () => {
  const world = await populatedWorld()
  await agrees(world, world.ben)
  const { lines, members } = await downloaded(world)
  const messages = lines('messages')
  assert.deepEqual(
    messages
      .filter(({ content }) => ['open', 'secret', 'late', 'direct', 'other'].includes(content))
      .map(({ id }) => id),
    [world.ids.open],
  )
  assert.deepEqual(
    lines('channels').filter(({ invite_only }) => invite_only),
    [],
  )
  assert.ok(lines('users').every((user) => !('settings' in user)))
  assert.equal(lines('realm')[0].id, world.realmId)
  const all = Buffer.concat([...members.values()]).toString()
  assert.doesNotMatch(all, /api_key|password|hash|sealed|token/)
  assert.ok(!all.includes(world.ann.credentials.key))
})

test('a standard export adds what consenting users can read', async () => {
  const world = await populatedWorld()
  await agrees(world, world.ben)
  const { lines } = await downloaded(world, 2)
  const { open, secret, direct } = world.ids
  const known = Object.values(world.ids)
  assert.deepEqual(
    lines('messages')
      .map(({ id }) => id)
      .filter((id) => known.includes(id)),
    [open, secret, direct],
  )
  assert.deepEqual(
    lines('channels')
      .filter(({ invite_only }) => invite_only)
      .map(({ name }) => name),
    ['secret'],
  )
  assert.deepEqual(
    lines('users')
      .filter((user) => 'settings' in user)
      .map(({ id }) => id),
    [world.ben.id],
  )
})

test('from channels with protected history, messages that a consenting user received are exported', async () => {
  const world = await populatedWorld()
  const { ben, ann, ids } = world
  await inChannel('late', [ann, ben])
  await agrees(world, ben)
  const later = await ann.sends({ channel: 'late', content: 'later' })
  const found = (await downloaded(world, 2)).lines('messages').map(({ id }) => id)
  assert.deepEqual([found.includes(ids.late), found.includes(later)], [false, true])
})

test('messages are exported with reactions and edits, and custom emoji with their images', async () => {
  const world = await populatedWorld()
  const { ann, app, ids } = world
  const png = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  await uploads(app, ann, emoji.uploadEmoji, { emoji_name: 'polly' }, { content: png })
  const at = { headers: { ...ann.headers, 'content-type': 'application/x-www-form-urlencoded' } }
  await app.inject({ ...at, method: 'PATCH', url: `/api/v1/messages/${ids.open}`, payload: 'content=changed' })
  await app.inject({ ...at, method: 'POST', url: `/api/v1/messages/${ids.open}/reactions`, payload: 'emoji_name=tada' })
  const { lines, members } = await downloaded(world)
  const message = lines('messages').find(({ id }) => id === ids.open)
  assert.equal(message.content, 'changed')
  assert.equal(message.edit_history[0].prev_content, 'open')
  assert.equal(message.reactions[0].emoji_name, 'tada')
  assert.ok(members.get(`emoji/${lines('emoji')[0].file_name}`)!.length > 50)
})

test('administrators of the realm can download an export until it is deleted', async () => {
  const world = await newWorld()
  const other = await newWorld()
  const { adam, olga, ann, app, host } = world
  const { id, path } = await exported(world)
  assert.equal((await fetches(world, olga, path)).statusCode, 200)
  assert.equal((await fetches(world, ann, path)).json().code, 'UNAUTHORIZED_PRINCIPAL')
  assert.equal((await app.inject({ url: path, headers: { host } })).statusCode, 401)
  assert.equal((await fetches(other, other.olga, path)).statusCode, 404)
  const target = { path: { export_id: id } }
  await other.adam.isRefused(api.deleteExport, target)
  await olga.registers()
  await adam.does(api.deleteExport, target)
  assert.equal((await fetches(world, olga, path)).statusCode, 404)
  const [event] = await olga.receives('realm_export')
  assert.equal(event!.exports[0]!.export_url, null)
  assert.ok(event!.exports[0]!.deleted_timestamp)
  assert.equal((await adam.isRefused(api.deleteExport, target)).code, 'BAD_REQUEST')
})

test('a pending or unknown export cannot be deleted', async () => {
  const { adam } = await newWorld()
  const { id } = await adam.does(api.exportRealm)
  for (const export_id of [id, 999_999])
    assert.equal((await adam.isRefused(api.deleteExport, { path: { export_id } })).code, 'BAD_REQUEST')
})

test('an aborted export is retried, and fails after five attempts', async () => {
  const { adam, ctx, realmId } = await newWorld()
  const half = await adam.does(api.exportRealm)
  const hopeless = await adam.does(api.exportRealm)
  const attempts = (id: number, count: number) =>
    ctx.db
      .updateTable('realm_exports')
      .set({ attempts: count })
      .where('realm_id', '=', realmId)
      .where('id', '=', id)
      .execute()
  await attempts(half.id, 1)
  await attempts(hopeless.id, 5)
  await resumeExports(ctx)
  const [first, second] = await exportsOf(adam)
  assert.ok(first!.export_url)
  assert.deepEqual([second!.pending, second!.export_url], [false, null])
  assert.ok(second!.failed_timestamp)
})

test('a retry replaces the file of an aborted attempt', async () => {
  const world = await newWorld()
  const { adam, app, ctx, realmId } = world
  await adam.does(api.exportRealm)
  const path = `exports/${realmId}/left.tar.gz`
  await ctx.files.put(path, Buffer.from('whole, but nobody knows of it'))
  await ctx.db.updateTable('realm_exports').set({ attempts: 1, path }).where('realm_id', '=', realmId).execute()
  assert.equal((await exportsOf(adam))[0]!.export_url, null)
  await resumeExports(ctx)
  const { export_url } = (await exportsOf(adam))[0]!
  assert.ok(export_url!.endsWith(path))
  assert.deepEqual(await storedFiles(world), [path])
  const { rawPayload } = await app.inject({ url: `/${path}`, headers: adam.headers })
  assert.ok((await contentOf(rawPayload)).members.has('realm.jsonl'))
})

test('every table is either exported or documented as left out', async () => {
  const { ctx } = await newWorld()
  const names = await column<string>(ctx.db)`
    select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`
  const exportedTables = Object.values(sections).flatMap(({ tables }) => tables as string[])
  const known = [...new Set([...exportedTables, ...Object.keys(leftOut)])].sort()
  assert.deepEqual(known, names.sort(), 'name new tables in operation/export/sections.ts and docs/export.md')
  const docs = await readFile(new URL('../../../../../docs/export.md', import.meta.url), 'utf8')
  for (const name of Object.keys(sections))
    assert.ok(docs.includes(`\`${name}.jsonl\``), `${name}.jsonl in docs/export.md`)
  for (const name of Object.keys(leftOut)) assert.ok(docs.includes(`\`${name}\``), `${name} in docs/export.md`)
})

test('personal data is exported for consenting users only, and never in a public export', async () => {
  const world = await populatedWorld()
  const { ann, ben, mona } = world
  for (const one of [ann, ben]) {
    await one.does(alertWords.addAlertWords, { alert_words: [`word of ${one.name}`] })
    await one.does(snippets.createSavedSnippet, { title: one.name, content: 'snippet' })
    await one.does(muting.muteUser, { path: { muted_user_id: mona.id } })
    await one.does(flags.updateMessageFlags, { messages: [world.ids.open], op: 'add', flag: 'starred' })
  }
  await agrees(world, ben)
  const personal = [
    'alert_words',
    'saved_snippets',
    'muted_users',
    'own_flags',
    'own_subscriptions',
    'own_conversations',
  ]
  const people = ({ lines }: Awaited<ReturnType<typeof contentOf>>, name: string) => [
    ...new Set(lines(name).map(({ user_id }) => user_id)),
  ]
  const standard = await downloaded(world, 2)
  for (const name of personal) assert.deepEqual(people(standard, name), [ben.id], name)
  assert.deepEqual(standard.lines('own_flags')[0].flags.includes('starred'), true)
  const open = await downloaded(world)
  for (const name of personal) assert.deepEqual(people(open, name), [], name)
})

test('settings, permissions and their groups are exported, except those of hidden channels', async () => {
  const world = await populatedWorld()
  const { ann, ben, olga } = world
  const group = { direct_members: [ann.id, ben.id], direct_subgroups: [] }
  const id = await inChannel('guarded', [ann], { can_send_message_group: group })
  const hidden = await inChannel('hidden', [ann], { invite_only: true, can_send_message_group: group })
  await olga.does(domains.addDomain, { domain: 'parley.test', allow_subdomains: true })
  const { lines } = await downloaded(world)
  const channel = lines('channels').find((one) => one.id === id)
  const groups = lines('groups')
  assert.deepEqual(groups.find((one) => one.id === channel.can_send_message_group).members, [ann.id, ben.id])
  assert.equal(groups.filter(({ name, members }) => name === null && members.includes(ben.id)).length, 1)
  assert.ok(!lines('channels').some((one) => one.id === hidden))
  assert.deepEqual(lines('domains'), [{ domain: 'parley.test', allow_subdomains: true }])
  const everybody = groups.find(({ name }) => name === 'role:everyone').id
  assert.equal(lines('permissions').find(({ setting }) => setting === 'can_access_all_users_group').group_id, everybody)
  assert.ok(lines('subscription_periods').some(({ channel_id, user_id }) => channel_id === id && user_id === ann.id))
})

test('an export is deleted after seven days', async () => {
  const world = await newWorld()
  const { adam, ctx, realmId } = world
  const { path } = await exported(world)
  await removeOldExports(ctx)
  assert.equal((await fetches(world, adam, path)).statusCode, 200)
  await sql`update realm_exports set succeeded_at = now() - interval '8 days' where realm_id = ${realmId}`.execute(
    ctx.db,
  )
  await removeOldExports(ctx)
  assert.equal((await fetches(world, adam, path)).statusCode, 404)
})

test('administrators receive an event when a user changes their consent', async () => {
  const { adam, mona, ann } = await newWorld()
  for (const one of [adam, mona]) await one.registers()
  for (const allow_private_data_export of [true, true, false])
    await ann.does(updateSettings, { allow_private_data_export })
  const changes = (await adam.receives('realm_export_consent')).map(({ user_id, consented }) => [user_id, consented])
  assert.deepEqual(changes, [
    [ann.id, true],
    [ann.id, false],
  ])
  assert.deepEqual(await mona.receives('realm_export_consent'), [])
})

test('the list of consents contains active human users', async () => {
  const world = await newWorld()
  const { adam, ann, ben, add } = world
  const bot = await add('robot', 400, { bot_type: 1, bot_owner_id: ann.id })
  await agrees(world, ann)
  const { export_consents } = await adam.does(api.getExportConsents)
  const of = (actor: Actor) => export_consents.find(({ user_id }) => user_id === actor.id)?.consented
  assert.deepEqual([of(ann), of(ben), of(bot)], [true, false, undefined])
})

test('uploaded avatars are exported under the paths that the user rows name', async () => {
  const world = await newWorld()
  const { ann, app } = world
  const content = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  await uploads(app, ann, uploadAvatar, {}, { content })
  const { members, lines } = await downloaded(world)
  const withAvatar = lines('users').filter(({ avatar_path }) => avatar_path !== null)
  assert.deepEqual(
    withAvatar.map(({ id }) => id),
    [ann.id],
  )
  for (const size of ['', '-medium'])
    assert.ok(members.get(`avatars/${withAvatar[0].avatar_path}${size}.png`)!.length > 50)
})

test('an export begins with its format and ends with the checksum of everything else', async () => {
  const { members, lines } = await downloaded(await populatedWorld(), 2)
  const names = [...members.keys()]
  assert.deepEqual([names[0], names.at(-1)], ['export.json', 'checksums.jsonl'])
  const { format, kind } = JSON.parse(String(members.get('export.json')))
  assert.deepEqual({ format, kind }, { format: 1, kind: 'standard' })
  const sums = lines('checksums').map(({ name, size, sha256 }) => [name, size, sha256])
  const expected = names.slice(0, -1).map((name) => {
    const bytes = members.get(name)!
    return [name, bytes.length, hash('sha256', bytes)]
  })
  assert.deepEqual(sums, expected)
})

test('a full export has everything, of everybody, with times in microseconds and topics by id', async () => {
  const world = await populatedWorld()
  const { ctx, realmId, ann } = world
  const pieces: Buffer[] = []
  await makeArchive(ctx, realmId, exportKinds.full, async (content) => void pieces.push(await buffer(content)))
  const { lines } = await contentOf(Buffer.concat(pieces))
  const texts = lines('messages').map(({ content }) => content)
  for (const text of ['open', 'secret', 'late', 'direct']) assert.ok(texts.includes(text), text)
  const users = lines('users')
  assert.ok(users.every(({ delivery_email, settings }) => delivery_email && settings))
  assert.ok(users.some(({ bot_type }) => bot_type !== null))
  assert.ok(lines('own_subscriptions').some(({ user_id }) => user_id === ann.id))
  const topics = new Map(lines('topics').map((topic) => [topic.id, topic.name]))
  for (const { channel_id, topic_id, topic, date_sent, date_sent_us } of lines('messages')) {
    if (channel_id) assert.equal(topics.get(topic_id), topic)
    assert.equal(Math.floor(date_sent_us / 1e6), date_sent)
  }
})

test('a full export of some people has what they sent or received, since a date, and their data', async () => {
  const world = await populatedWorld()
  const { ctx, realmId, mona, ben } = world
  const contents = async (limit: Limit) => {
    const pieces: Buffer[] = []
    const store = async (content: Readable) => void pieces.push(await buffer(content))
    await makeArchive(ctx, realmId, exportKinds.full, store, undefined, limit)
    return contentOf(Buffer.concat(pieces))
  }
  const ofMona = await contents({ users: [mona.id], since: null })
  const texts = ofMona.lines('messages').map(({ content }) => content)
  assert.ok(texts.includes('late') && !texts.includes('secret') && !texts.includes('direct'))
  assert.ok(ofMona.lines('own_subscriptions').every(({ user_id }) => user_id === mona.id))
  const later = await contents({ users: [ben.id], since: new Date(Date.now() + 60_000) })
  assert.deepEqual(later.lines('messages'), [])
})

test('the API makes no full export', async () => {
  const { adam } = await newWorld()
  await adam.isRefused(api.exportRealm, { export_type: 3 as never })
})
