import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeContext, createContext } from '../boot/create-context.ts'
import { readConfig } from '../config.ts'
import { buildApp } from '../http/app.ts'
import { createDatabase } from '../testing/world.ts'
import { demoMessages, demoPeople } from './sample-content.ts'
import { seedDemo } from './seed.ts'

const people = demoPeople.map(({ email }) => email)

async function demoServer(t: { after(hook: () => Promise<void>): void }) {
  const env = { LOG_LEVEL: 'error', SECRET_KEY: 'a secret only for the tests of Parley', DATABASE_POOL: '6' }
  const ctx = await createContext(readConfig('demo', env), await createDatabase())
  const app = buildApp(ctx)
  await app.ready()
  t.after(async () => {
    await app.close()
    await closeContext(ctx)
  })
  const said = () =>
    ctx.db
      .selectFrom('messages')
      .innerJoin('users', 'users.id', 'messages.sender_id')
      .select(['content', 'messages.id'])
      .where('users.email', 'in', people)
      .execute()
  return { ctx, app, said, seed: () => seedDemo(app, ctx, () => {}) }
}

test('the demo is made once, and completed if it was interrupted', async (t) => {
  const { ctx, said, seed } = await demoServer(t)

  await Promise.all([seed(), seed()])
  assert.equal((await said()).length, demoMessages.length)

  await ctx.db.deleteFrom('audit_log').where('action', '=', 'demo_completed').execute()
  await ctx.db.deleteFrom('messages').where('content', '=', demoMessages.at(-1)!.content).execute()
  await seed()
  await seed()
  assert.deepEqual(
    (await said()).map(({ content }) => content).sort(),
    demoMessages.map(({ content }) => content).sort(),
  )
})

test('the owner of the demo has both grants, and nobody else has any', async (t) => {
  const { ctx, seed } = await demoServer(t)
  await seed()

  const granted = await ctx.db
    .selectFrom('users')
    .select(['email', 'can_create_users', 'can_change_user_emails'])
    .where((where) => where.or([where('can_create_users', '=', true), where('can_change_user_emails', '=', true)]))
    .execute()

  assert.deepEqual(granted, [{ email: 'owner@example.com', can_create_users: true, can_change_user_emails: true }])
})
