import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDrafts } from '@parley/api/conversations/drafts'
import { editMessage, getMessageHistory } from '@parley/api/conversations/editing'
import { getReadReceipts } from '@parley/api/conversations/flags'
import { sendMessage } from '@parley/api/conversations/messages'
import { renderMessage } from '@parley/api/conversations/rendering'
import { setTypingStatus } from '@parley/api/conversations/typing'
import type { Operation } from '@parley/api/operation'
import { updateRealm } from '@parley/api/organization/realm'
import { deleteAvatar } from '@parley/api/people/avatars'
import { updateSettings } from '@parley/api/people/own-settings'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { newWorld } from '../../testing/world.ts'

type Call = [Operation, Record<string, unknown>]
type Tries = (actor: Actor, message: number) => Call

const send = { type: 'channel', to: 'verona', content: 'hello' }

/** Realm settings, and the actions that they forbid. */
const forbidding: [Record<string, unknown>, Tries][] = [
  [{ allow_message_editing: false }, (_, message_id) => [editMessage, { path: { message_id }, content: 'x' }]],
  [
    { message_edit_history_visibility_policy: 'none' },
    (_, message_id) => [getMessageHistory, { path: { message_id } }],
  ],
  [{ mandatory_topics: true }, () => [sendMessage, { ...send, topic: '' }]],
  [{ mandatory_topics: true }, () => [sendMessage, { ...send, topic: '(no topic)' }]],
  [{ mandatory_topics: true }, (_, message_id) => [editMessage, { path: { message_id }, topic: 'general chat' }]],
  [{ enable_read_receipts: false }, (_, message_id) => [getReadReceipts, { path: { message_id } }]],
  [{ avatar_changes_disabled: true }, () => [deleteAvatar, {}]],
  [{ email_changes_disabled: true }, () => [updateSettings, { email: 'new@example.com' }]],
  [{ disallow_disposable_email_addresses: true }, () => [updateSettings, { email: 'new@mailinator.com' }]],
  [{ emails_restricted_to_domains: true }, () => [updateSettings, { email: 'new@elsewhere.example' }]],
]

/** User settings, and the actions that they forbid to the user. */
const forgoing: [Record<string, unknown>, Tries][] = [
  [{ send_private_typing_notifications: false }, ({ id }) => [setTypingStatus, { op: 'start', to: [id] }]],
  [
    { enable_drafts_synchronization: false },
    ({ id }) => [createDrafts, { drafts: [{ type: 'private', to: [id], topic: '', content: 'hello' }] }],
  ],
]

for (const [settings, tries] of [...forbidding, ...forgoing])
  test(`${JSON.stringify(settings)} forbids its action`, async () => {
    const { olga, ann, ben } = await newWorld()
    await inChannel('verona', [ann, ben])
    const [first, second] = [await ann.sends({ channel: 'verona' }), await ann.sends({ channel: 'verona' })]
    await olga.does(updateRealm, { disallow_disposable_email_addresses: false })
    await ann.does(...tries(ann, first))
    const isOwn = forgoing.some(([own]) => own === settings)
    await (isOwn ? ann.does(updateSettings, settings) : olga.does(updateRealm, settings))
    assert.equal((await ann.isRefused(...tries(ann, second))).code, 'BAD_REQUEST')
  })

test('settings change how text is rendered', async () => {
  const { olga, ann } = await newWorld()
  const rendered = async (content: string) => (await ann.does(renderMessage, { content })).rendered
  const [code, image, smile] = ['```\nx = 1\n```', 'https://example.com/a.png', ':)']
  assert.doesNotMatch(await rendered(code), /Python/)
  assert.match(await rendered(image), /<img/)
  assert.equal(await rendered(smile), '<p>:)</p>')
  await olga.does(updateRealm, { default_code_block_language: 'python', inline_image_preview: false })
  await ann.does(updateSettings, { translate_emoticons: true })
  assert.match(await rendered(code), /data-code-language="Python"/)
  assert.doesNotMatch(await rendered(image), /<img/)
  assert.match(await rendered(smile), /emoji-1f642/)
})
