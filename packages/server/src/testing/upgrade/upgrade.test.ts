import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../platform/postgres/test-support.ts'
import { version } from '../../platform/version.ts'
import { runParley, startParley } from '../program.ts'
import { allMessages, FormClient, type FoundMessage } from './form-client.ts'
import { storedFolder, unpackBackup } from './stored-backup.ts'

const stored = globSync('*.tar.zst', { cwd: storedFolder }).sort()

test('a backup of a release is stored, and none of a version newer than this one', () => {
  const releases = stored.map((file) => basename(file, '.tar.zst'))
  const newer = releases.filter((release) => release.localeCompare(version, 'en', { numeric: true }) > 0)
  assert.ok(releases.length > 0)
  assert.deepEqual(newer, [])
})

for (const file of stored)
  test(`${basename(file, '.tar.zst')} upgrades: accounts, messages, files and ways to sign in are there`, async (t) => {
    const [backup, dataDir] = [tempFolder(t), join(tempFolder(t), 'data')]
    const { person, message, ...expected } = await unpackBackup(join(storedFolder, file), backup)
    const env = { DATA_DIR: dataDir }
    const { code, output } = await runParley(t, ['restore', backup], { env })
    assert.equal(code, 0, output)
    const { url } = await startParley(t, [], { env })

    const client = new FormClient(url)
    client.useKey(person.email, person.api_key)
    const { members } = await client.get<{ members: object[] }>('/users')
    assert.equal(members.length, expected.accounts)
    const { messages } = await client.get<{ messages: FoundMessage[] }>(allMessages)
    assert.equal(messages.length, expected.messages)
    const found = messages.find(({ id }) => id === message.id)
    assert.equal(found?.content, message.content)
    assert.equal(found?.reactions[0]?.emoji_name, message.emoji_name)
    assert.equal(await client.download(expected.file.url), expected.file.content)

    assert.equal(await client.signIn(person.email, person.password), person.api_key)
    const form = { type: 'channel', to: 'general', topic: 'upgrade', content: 'sent after the upgrade' }
    const sent = await client.post<{ id: number }>('/messages', form)
    assert.ok(sent.id > Math.max(...messages.map(({ id }) => id)), 'no message id is used a second time')
    const health = (await (await fetch(`${url}/health/ready`)).json()) as { warnings?: unknown[] }
    assert.deepEqual(health.warnings ?? [], [])
  })
