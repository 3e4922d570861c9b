import assert from 'node:assert/strict'
import { test } from 'node:test'
import { archiveChannel } from '@parley/api/conversations/channels'
import * as api from '@parley/api/conversations/reports'
import { updateRealm } from '@parley/api/organization/realm'
import { inChannel } from '../../../testing/channels.ts'
import { newWorld } from '../../../testing/world.ts'

/** Reports go to a private channel of Mona's. */
async function moderatedWorld() {
  const world = await newWorld()
  const { olga, mona, ann, ben } = world
  const channel = await inChannel('reports', [mona, olga], { invite_only: true })
  await olga.does(updateRealm, { moderation_request_channel_id: channel })
  await inChannel('verona', [ann, ben])
  const message_id = await ben.sends({ channel: 'verona', topic: 'castle', content: 'buy **gold**' })
  return { ...world, channel, path: { message_id } }
}

test('a report is a message in the channel for it, which nobody else sees', async () => {
  const { mona, ann, ben, channel, path } = await moderatedWorld()
  for (const user of [mona, ann, ben]) await user.registers()
  await ann.does(api.reportMessage, { path, report_type: 'spam', description: 'Again ```x' })
  const [event] = await mona.receives('message')
  const { stream_id, subject, content, sender_full_name } = event!.message
  assert.deepEqual([stream_id, subject, sender_full_name], [channel, 'Reports: Ben', 'Notification Bot'])
  assert.equal(
    content,
    [
      `@_**Ann|${ann.id}** reports a message of @_**Ben|${ben.id}**: #**verona>castle@${path.message_id}**`,
      '**Spam**',
      '```quote\nAgain ```x\n```',
      'The message:\n```quote\nbuy **gold**\n```',
    ].join('\n\n'),
  )
  assert.deepEqual([await ann.receives('message'), await ben.receives('message')], [[], []])
})

test('a report needs a known reason, and for another one a description', async () => {
  const { mona, ann, path } = await moderatedWorld()
  await mona.registers()
  for (const wrong of [
    {},
    { report_type: 'boring' },
    { report_type: 'other' },
    { report_type: 'other', description: ' ' },
    { report_type: 'spam', description: 'x'.repeat(1001) },
  ])
    await ann.isRefused(api.reportMessage, { path, ...wrong })
  assert.deepEqual(await mona.receives('message'), [])
})

test('only a message that the caller can read can be reported', async () => {
  const { ann, ben, mona } = await moderatedWorld()
  await inChannel('den', [ben], { invite_only: true })
  const hidden = { path: { message_id: await ben.sends({ channel: 'den' }) }, report_type: 'norms' }
  const missing = await ann.isRefused(api.reportMessage, { ...hidden, path: { message_id: 999_999 } })
  assert.deepEqual(await ann.isRefused(api.reportMessage, hidden), missing)
  const direct = { message_id: await ben.sends({ to: [ann], content: 'psst' }) }
  await mona.registers()
  await ann.does(api.reportMessage, { path: direct, report_type: 'harassment' })
  assert.match((await mona.receives('message'))[0]!.message.content, /\[a direct message\].*psst/s)
})

test('without a channel for reports, they are refused', async () => {
  const { olga, ann, path, channel } = await moderatedWorld()
  const report = { path, report_type: 'spam' }
  await olga.does(archiveChannel, { path: { stream_id: channel } })
  assert.match((await ann.isRefused(api.reportMessage, report)).msg, /has no channel for reports/)
  await olga.does(updateRealm, { moderation_request_channel_id: -1 })
  assert.match((await ann.isRefused(api.reportMessage, report)).msg, /has no channel for reports/)
})
