import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Access } from '@parley/api/operation'
import type { FastifyInstance } from 'fastify'
import { buildApp } from '../../http/app.ts'
import { type AccessWorld, newAccessWorld, type Stage } from './callers.ts'
import { channelRows } from './channel-rows.ts'
import { messageRows } from './message-rows.ts'
import { operationRows } from './operations.ts'
import { MatrixRun } from './row.ts'

/** A matrix that accepts a broken server is worthless, so each test breaks one rule on purpose. */

let access: AccessWorld

before(async () => {
  access = await newAccessWorld()
})

const rowOf = (does: string) => [...operationRows, ...messageRows, ...channelRows].find((row) => row.does === does)!

/** Verifies a row against a server that is broken in this way. */
async function verifyBroken(does: string, sabotage: (app: FastifyInstance, stage: Stage) => void): Promise<void> {
  const app = buildApp(access.main.ctx)
  sabotage(app, access.main)
  await app.ready()
  try {
    await new MatrixRun(access, app).verify(rowOf(does))
  } finally {
    await app.close()
  }
}

/** Verifies a row while its operation is declared with a weaker access gate. */
async function verifyUngated(does: string, access: Access): Promise<void> {
  const { operation } = rowOf(does)
  const declared = operation.access
  operation.access = access
  await verifyBroken(does, () => undefined).finally(() => {
    operation.access = declared
  })
}

test('the matrix notices an administrator operation that every user may call', async () => {
  await assert.rejects(verifyUngated('getExportConsents', 'user'), /getExportConsents/)
})

test('the matrix notices an operation that wrongly admits bots and webhooks', async () => {
  await assert.rejects(verifyUngated('createBot', 'sender'), /createBot/)
})

test('the matrix notices a private message that other users can read', async () => {
  const readAsAnn = (app: FastifyInstance, { ann, realmId }: Stage) =>
    app.addHook('preHandler', async (request) => {
      if (request.caller && request.caller.realm_id === realmId) request.caller = { ...request.caller, id: ann.id }
    })
  await assert.rejects(verifyBroken('read: a message in den', readAsAnn), /a message in den/)
})

test('the matrix notices a refusal that differs by one byte between a hidden and a missing object', async () => {
  const answerOtherwise = (app: FastifyInstance, { den }: Stage) =>
    app.addHook('onSend', async (request, _reply, body) =>
      request.url.includes(String(den.message_id)) ? String(body).replace('Invalid message', 'Invalid  message') : body,
    )
  await assert.rejects(verifyBroken('read: a message in den', answerOtherwise), /a message in den/)
})

test('the matrix notices a number in a refusal that depends on the hidden object', async () => {
  const addNumber = (app: FastifyInstance, { den }: Stage) =>
    app.addHook('onSend', async (request, _reply, body) =>
      String(body).replace('(s)', request.url.includes(String(den.message_id)) ? '(s) 12' : '(s) 13'),
    )
  await assert.rejects(verifyBroken('read: a message in den', addNumber), /a message in den/)
})

test('the matrix notices a refused request that changed something', async () => {
  const changeAnyway = (app: FastifyInstance, { ctx, den }: Stage) =>
    app.addHook('onError', async () => {
      await ctx.pool.query(`update channels set description = description || '!' where id = $1`, [den.stream_id])
    })
  await assert.rejects(verifyBroken('describe: den', changeAnyway), /changed something/)
})

test('the matrix notices a field that only one kind of caller gets', async () => {
  const showMore = (app: FastifyInstance, { actors }: Stage) =>
    app.addHook('onSend', async (request, _reply, body) =>
      request.caller?.id === actors.MO.id ? String(body).replace('"msg":""', '"msg":"","secret":1') : body,
    )
  await assert.rejects(verifyBroken('look at: plaza', showMore), /getChannel|look at/)
})

test('the same rows pass on the unmodified server', async () => {
  const names = ['getExportConsents', 'createBot', 'read: a message in den', 'describe: den', 'look at: plaza']
  for (const name of names) await verifyBroken(name, () => undefined)
})
