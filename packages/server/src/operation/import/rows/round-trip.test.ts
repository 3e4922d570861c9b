import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runCommand } from '../../../testing/command.ts'
import { membersOf } from '../../../testing/importing/archive-members.ts'
import { usedWorld } from '../../../testing/importing/used-world.ts'
import { createDatabase, type World } from '../../../testing/world.ts'
import { environmentOf, stringIdOf } from '../../../testing/world-command.ts'

type Environment = Record<string, string>
/** The members of an export; the rows of JSON lines sorted. */
type Content = Map<string, string[]>

let world: World
let folder: string
let first: string

before(async () => {
  world = await usedWorld()
  folder = await mkdtemp(join(tmpdir(), 'parley-round-trip-'))
  first = await exported(environmentOf(world), await stringIdOf(world))
})
after(() => rm(folder, { recursive: true, force: true }))

async function run(env: Environment, ...args: string[]): Promise<string> {
  const { code, output } = await runCommand(args, { env })
  assert.equal(code, 0, output)
  return output
}

async function exported(env: Environment, realm: string): Promise<string> {
  const path = join(folder, `${randomUUID()}.tar.gz`)
  await run(env, 'export', path, '--type', 'full', '--realm', realm)
  return path
}

/** A server of its own without an organization. */
async function emptyServer(): Promise<Environment> {
  const env = { ...environmentOf(world), DATABASE_URL: await createDatabase(), DATA_DIR: join(folder, randomUUID()) }
  await run(env, 'migrate')
  return env
}

async function contentOf(path: string): Promise<Content> {
  const members = await membersOf(await readFile(path))
  const content: Content = new Map()
  for (const [name, bytes] of members)
    if (name.endsWith('.jsonl')) content.set(name, String(bytes).split('\n').filter(Boolean).sort())
    else content.set(name, [bytes.toString('base64')])
  for (const name of ['export.json', 'checksums.jsonl']) content.delete(name)
  return content
}

function withoutHost(content: Content): Content {
  const realm = JSON.parse(content.get('realm.jsonl')![0]!)
  return new Map(content).set('realm.jsonl', [JSON.stringify({ ...realm, host: null, string_id: '' })])
}

test('an organization comes back as it was, with every id, where there is no other one', async () => {
  const [one, two] = [await emptyServer(), await emptyServer()]
  await run(one, 'import', first, '--source', 'parley', '--into', 'back')
  const second = await exported(one, 'back')
  await run(two, 'import', second, '--source', 'parley', '--into', 'again')
  const third = await exported(two, 'again')

  const [before, between, last] = await Promise.all([first, second, third].map(contentOf))
  assert.deepEqual(withoutHost(last!), withoutHost(between!))
  for (const name of [
    'channels',
    'groups',
    'topics',
    'own_flags',
    'own_subscriptions',
    'subscription_periods',
    'drafts',
  ])
    assert.deepEqual(between!.get(`${name}.jsonl`), before!.get(`${name}.jsonl`), name)
  assert.deepEqual([...between!.keys()].sort(), [...before!.keys()].sort())
})

test('beside another organization, messages keep their ids, times and topics, and mentions name the new users', async () => {
  const id = `beside-${randomUUID().slice(0, 8)}`
  await run(environmentOf(world), 'import', first, '--source', 'parley', '--into', id)
  const [there, here] = await Promise.all([first, await exported(environmentOf(world), id)].map(contentOf))
  const rows = (content: Content, name: string) => content.get(`${name}.jsonl`)!.map((line) => JSON.parse(line))
  const plain = (content: Content) =>
    rows(content, 'messages')
      .map(({ id, date_sent_us, topic, reactions, submessages }) => [
        id,
        date_sent_us,
        topic,
        reactions.length,
        submessages.length,
      ])
      .sort(([a], [b]) => a - b)
  assert.deepEqual(plain(here!), plain(there!))
  assert.equal(rows(here!, 'own_flags').length, rows(there!, 'own_flags').length)
  const people = (content: Content) => new Map(rows(content, 'users').map((user) => [user.id, user.full_name]))
  const mentioned = rows(here!, 'messages').flatMap(({ content }) => [
    ...content.matchAll(/@_\*\*([^*|]+)\|(\d+)\*\*/g),
  ])
  assert.ok(mentioned.length > 0)
  for (const [, name, user] of mentioned) assert.equal(people(here!).get(Number(user)), name)
  for (const user of people(here!).keys()) assert.ok(!people(there!).has(user))
})

test('the same file again adds nothing, and a damaged one is refused without leaving an organization', async () => {
  const env = await emptyServer()
  await run(env, 'import', first, '--source', 'parley', '--into', 'twice')
  assert.match(await run(env, 'import', first, '--source', 'parley', '--into', 'twice'), /Nothing was added/)
  const bytes = await readFile(first)
  const cut = join(folder, 'cut.tar.gz')
  await writeFile(cut, bytes.subarray(0, bytes.length - 200))
  const { code, output } = await runCommand(['import', cut, '--source', 'parley', '--into', 'never'], { env })
  assert.notEqual(code, 0)
  assert.match(output, /Nothing was imported/)
  assert.ok(!(await run(env, 'realm', 'list')).includes('never'))
})
