import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { getMessages } from '@parley/api/conversations/messages'
import { getUsers } from '@parley/api/people/users'
import { pack } from 'tar-stream'
import { importingWorld } from '../../testing/importing/imported-world.ts'
import { type ZipEntry, zipOf } from '../../testing/importing/make-zip.ts'
import { channel, exportOf, linesOf, post, team, user } from '../../testing/importing/mattermost-export.ts'

const path = `20261001/teams/noteam/channels/${'c'.repeat(26)}/users/${'u'.repeat(26)}/${'f'.repeat(26)}/notes.txt`
const lines = [
  team('dock', 'Dock'),
  channel('cranes', 'Cranes'),
  user('zoe', { cranes: {} }, { roles: 'system_user system_admin' }),
  user('tim', { cranes: {} }, { teams: [{ name: 'dock', roles: 'team_user team_admin', channels: [] }] }),
  post('cranes', 'zoe', 'See', 0, { attachments: [{ path }] }),
]
const main = { name: 'import.jsonl', content: linesOf(lines) }
const note: ZipEntry = { name: `data/${path}`, content: 'A note' }
const whole = zipOf([main, note])

const damaged = Buffer.from(whole)
damaged[damaged.indexOf('notes.txt') + 10]! ^= 0xff
const bomb = { name: 'data/bomb', content: Buffer.alloc(100 * 1024 * 1024) }

const refused: Record<string, [Buffer, RegExp]> = {
  'a cut zip': [whole.subarray(0, whole.length - 30), /damaged/],
  'a file in it that is damaged': [damaged, /damaged/],
  'a zip without the export': [zipOf([note]), /has no import\.jsonl/],
  'an export of something else': [
    zipOf([{ name: 'import.jsonl', content: '{"type":"posts"}\n' }]),
    /no bulk export of Mattermost/,
  ],
  'an empty export': [zipOf([{ name: 'import.jsonl', content: '' }]), /no bulk export of Mattermost/],
  'no archive': [Buffer.from('hello'), /neither a zip file/],
  'a path that leads out': [zipOf([main, { name: '../../evil', content: 'x' }]), /damaged|leads out/],
  'a link': [zipOf([main, { name: 'data/link', content: '/etc/passwd', mode: 0o120777 }]), /is a symbolic link/],
  'a name that occurs twice': [zipOf([main, note, note]), /in the archive twice/],
  'a zip bomb': [zipOf([main, bomb]), /zip bomb/],
  'a cut .tar.gz': [gzipSync(whole).subarray(0, 200), /damaged/],
}

for (const [what, [file, reason]] of Object.entries(refused))
  test(`${what} is refused, and no organization is left`, async () => {
    const into = await importingWorld()
    const { code, output } = await into.run(file)
    assert.equal(code, 1)
    assert.match(output, /^Nothing was imported\. /)
    assert.match(output, reason)
    assert.equal(await into.exists(), false)
  })

async function tarGzOf(entries: ZipEntry[]): Promise<Buffer> {
  const tar = pack()
  for (const { name, content } of entries) tar.entry({ name: `./${name}` }, content)
  tar.finalize()
  return gzipSync(Buffer.concat((await Array.fromAsync(tar)) as Buffer[]))
}

async function folderOf(entries: ZipEntry[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-export-'))
  after(() => rm(folder, { recursive: true, force: true }))
  for (const { name, content } of entries) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return folder
}

test('a .tar.gz and a folder are imported as the zip is', async () => {
  for (const file of [await tarGzOf([main, note]), await folderOf([main, note])]) {
    const into = await importingWorld()
    const { code, output } = await into.run(file)
    assert.equal(code, 0, output)
    assert.match(output, /^files written: 1$/m)
  }
})

test('a link in a folder leads nowhere', async () => {
  const folder = await folderOf([main])
  await mkdir(dirname(join(folder, note.name)), { recursive: true })
  await symlink('/etc/hostname', join(folder, note.name))
  const { output } = await (await importingWorld()).run(folder)
  assert.match(output, /^missing: line 6: no file /m)
})

test('--dry-run counts and creates nothing', async () => {
  const into = await importingWorld()
  const { code, output } = await into.run(whole, '--dry-run')
  assert.deepEqual([code, output], [0, 'people: 2\nbots: 0\nchannels: 1\nconversations: 0\nmessages: 1\nfiles: 1\n'])
  assert.equal(await into.exists(), false)
})

test('a record that is too long, too deep or of the wrong type is listed, and the others are imported', async () => {
  const into = await importingWorld()
  const deep = `{"type":"post","post":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
  const odd = [
    deep,
    'null',
    post('cranes', 'zoe', 'x'.repeat(400_001), 1),
    post('cranes', 'zoe', 'ok', 2, { create_at: 'now' }),
  ]
  const { code, output } = await into.run(exportOf([...lines, ...odd], [note]), '--json')
  assert.equal(code, 0, output)
  const { counts, problems } = JSON.parse(output)
  assert.equal(counts['messages written'], 1 + 1)
  assert.deepEqual(
    problems.map(({ place }: { place: string }) => place.split(',')[0]),
    ['line 7', 'line 8', 'line 9'],
  )
})

test('--roles keeps administrators, and --owner-email makes an owner, with an account if there is none', async () => {
  const [kept, named] = [await importingWorld(), await importingWorld()]
  await kept.run(whole, '--roles')
  await named.run(whole, '--owner-email', 'boss@dock.example')
  const rolesIn = async (into: typeof kept) => {
    const { members } = await (await into.actor('zoe@dock.example')).does(getUsers, {})
    return Object.fromEntries(members.filter(({ is_bot }) => !is_bot).map(({ full_name, role }) => [full_name, role]))
  }
  assert.deepEqual(await rolesIn(kept), { 'Zoe Dock': 100, 'Tim Dock': 300 })
  assert.deepEqual(await rolesIn(named), { 'Zoe Dock': 400, 'Tim Dock': 400, boss: 100 })
})

test('channels of the same name are distinguished by their teams, and inside a team by their URL names', async () => {
  const into = await importingWorld()
  const other = channel('cranes', 'Cranes', { team: 'yard' })
  const twins = [channel('a', 'Plans'), channel('b', 'Plans')]
  await into.run(exportOf([team('yard', 'Yard'), other, ...twins, ...lines]))
  const zoe = await into.actor('zoe@dock.example')
  const { messages } = await zoe.does(getMessages, {
    narrow: [{ operator: 'channel', operand: 'Cranes (Dock)' }] as never,
    anchor: 'oldest',
    num_before: 0,
    num_after: 10,
  })
  assert.equal(messages.length, 1)
  const { output } = await into.run(exportOf([...lines, ...twins]))
  assert.doesNotMatch(output, /became/)
})
