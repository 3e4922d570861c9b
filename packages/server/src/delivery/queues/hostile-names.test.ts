import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateMessageFlags } from '@parley/api/conversations/flags'
import * as messages from '@parley/api/conversations/messages'
import { addReaction } from '@parley/api/conversations/reactions'
import * as widgets from '@parley/api/conversations/widgets'
import * as api from '@parley/api/delivery/queues'
import { profileFieldTypes } from '@parley/api/kinds'
import type { Operation } from '@parley/api/operation'
import { createUserGroup } from '@parley/api/organization/groups'
import { updateRealm } from '@parley/api/organization/realm'
import { updateSettings } from '@parley/api/people/own-settings'
import { createProfileField } from '@parley/api/people/profile-fields'
import { sql } from 'kysely'
import { inChannel } from '../../testing/channels.ts'
import { newWorld } from '../../testing/world.ts'

/** Properties that every object inherits. */
const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']
const leaks = /native code|function|\[object/

test('inherited property names are not valid narrow operators of a queue', async () => {
  const { gus } = await newWorld()
  for (const name of names) {
    const error = await gus.isRefused(api.register as Operation, { narrow: [[name, 'x']] })
    assert.equal(error.msg, `Operator ${name} not supported.`)
  }
})

test('an unknown `is` narrow filters nothing and does not break delivery', async () => {
  const { ann, gus } = await newWorld()
  await inChannel('verona', [ann, gus])
  for (const name of [...names, 'blue']) {
    await gus.registers({ narrow: [['is', name]] })
    const { queue_id, last_event_id } = await gus.registers({ narrow: [['is', name]] })
    const waiting = gus.does(api.getEvents, { queue_id, last_event_id })
    const id = await ann.sends({ channel: 'verona' })
    const { events } = await waiting
    assert.equal(events[0]?.type === 'message' && events[0].message.id, id, name)
  }
})

test('a stored queue with an unknown narrow receives everything', async () => {
  const { ann, ben, ctx } = await newWorld()
  const { queue_id } = await ben.registers({ narrow: [['is', 'dm']] })
  await sql`update queues set options = options || '{"narrow":[["__proto__","x"],["constructor","y"]]}'
             where id = ${queue_id}`.execute(ctx.db)
  await ann.sends({ to: [ben] })
  assert.equal((await ben.receives('message')).length, 1)
})

test('message narrows refuse inherited names as operators and operands, without showing source code', async () => {
  const { ann } = await newWorld()
  for (const name of names)
    for (const term of [
      [name, 'x'],
      ['is', name],
      ['has', name],
      ['in', name],
      ['channels', name],
      ['dm', name],
    ]) {
      const error = await ann.isRefused(messages.getMessages as Operation, { anchor: 'newest', narrow: [term] })
      assert.equal(error.code, 'BAD_NARROW')
      assert.doesNotMatch(error.msg, leaks)
    }
})

test('submessages of a widget whose type is an inherited name are handled like those of any unknown type', async () => {
  const { ann } = await newWorld()
  const message_id = await ann.sends({ to: [ann] })
  for (const name of names) {
    const add = (data: object) =>
      ann.request(widgets.addSubmessage as Operation, { message_id, msg_type: 'widget', content: JSON.stringify(data) })
    assert.equal((await add({ widget_type: name })).status, 200)
    assert.ok((await add({ type: name })).status < 500)
  }
  const poll = await ann.sends({ to: [ann], content: '/poll Lunch?' })
  for (const type of names) {
    const content = JSON.stringify({ type })
    const error = await ann.isRefused(widgets.addSubmessage, { message_id: poll, msg_type: 'widget', content })
    assert.doesNotMatch(error.msg, leaks)
  }
})

test('a group may be named like an inherited property, and its mention shows the name', async () => {
  const { ann, olga } = await newWorld()
  for (const name of names) {
    await olga.does(createUserGroup, { name, description: '', members: [ann.id] })
    const message_id = await ann.sends({ to: [ann], content: `@*${name}*` })
    const { message } = await ann.does(messages.getMessage, { path: { message_id } })
    assert.match(message.content, new RegExp(`>@${name}</span>`))
  }
})

test('a permission held by a group with an inherited name is not reported as held by a system group', async () => {
  const { olga } = await newWorld()
  const { group_id } = await olga.does(createUserGroup, { name: 'constructor', description: '', members: [olga.id] })
  await olga.does(updateRealm, { can_mention_many_users_group: { new: group_id! } } as object)
  const state = await olga.does(api.register, {})
  assert.equal((state as { realm_wildcard_mention_policy?: number }).realm_wildcard_mention_policy, 1)
})

test('inherited names are not valid emoji, flags, languages or account types', async () => {
  const { ann, olga } = await newWorld()
  const message_id = await ann.sends({ to: [ann] })
  const account = profileFieldTypes.EXTERNAL_ACCOUNT.id
  for (const name of names) {
    await ann.isRefused(addReaction, { path: { message_id }, emoji_name: name })
    await ann.isRefused(updateMessageFlags, { messages: [message_id], op: 'add', flag: name })
    await ann.isRefused(updateSettings, { default_language: name })
    await olga.isRefused(updateRealm as Operation, { default_language: name })
    await olga.isRefused(createProfileField, { field_type: account, field_data: { subtype: name } })
  }
})

test('parameters with inherited names are ignored like other unknown parameters', async () => {
  const { ann } = await newWorld()
  for (const name of names) {
    const { status, body } = await ann.request(api.register as Operation, { [name]: 'x', event_types: ['message'] })
    assert.equal(status, 200)
    assert.deepEqual((body as { ignored_parameters_unsupported: string[] }).ignored_parameters_unsupported, [name])
  }
})
