import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUser } from '@parley/api/identity/accounts'
import { transactIn } from '../../context.ts'
import { buildApp } from '../../http/app.ts'
import { grant } from '../../people/users/actions.ts'
import { Actor } from '../../testing/actor.ts'
import { newWorld } from '../../testing/world.ts'
import { checkNewPassword, rankPassword } from './password-strength.ts'

/** An owner who may create users, and what the server answers to passwords for Nora Novak. */
async function creator(mode: 'demo' | 'production') {
  const { olga, ctx, realmId, host } = await newWorld()
  await transactIn(ctx, realmId, (tx) => grant(tx, olga.id, ['can_create_users']))
  const app = buildApp({ ...ctx, config: { ...ctx.config, mode } })
  const owner = new Actor(app, olga.id, olga.name, olga.credentials)
  let n = 0
  const wanted = (password: string) => ({ email: `nora${n++}@${host}`, full_name: 'Nora Novak', password })
  return { app, owner, wanted }
}

test('production refuses short and guessable passwords and says what to change', async (t) => {
  const { app, owner, wanted } = await creator('production')
  t.after(() => app.close())
  for (const password of ['', 'a1$Kz', 'x'.repeat(101)])
    assert.match((await owner.isRefused(createUser, wanted(password))).msg, /must have 6 to 100 characters/)
  for (const password of ['password', 'abcd1234', 'Passw0rd', 'qwertyuiop', 'aaaaaaaaaa', 'nora novak', '19841984'])
    assert.match(
      (await owner.isRefused(createUser, wanted(password))).msg,
      /^The password is too easy to guess\. \w.+/,
      password,
    )
  await owner.does(createUser, wanted('correct horse'))
})

test('the demo takes any password but an empty one', async (t) => {
  const { app, owner, wanted } = await creator('demo')
  t.after(() => app.close())
  await owner.isRefused(createUser, wanted(''))
  await owner.does(createUser, wanted('a'))
})

test('a new password waits for one ranking at most, and rankings of one network are limited', async () => {
  const password = 'correct horse battery staple'
  const rank = (network: string) => rankPassword(network, password)
  const change = () => checkNewPassword('production', password)
  await Promise.all([rank('first'), change()]) // prepares the dictionaries
  const order: string[] = []
  const rankings = Array.from({ length: 50 }, async (_, n) => order.push((await rank(`network ${n}`)).text))
  await Promise.all([...rankings, change().then(() => order.push('new password'))])
  assert.ok(order.indexOf('new password') <= 2, `it came after ${order.indexOf('new password')} rankings`)

  const answers = await Promise.allSettled(Array.from({ length: 60 }, () => rank('same network')))
  const refused = answers.filter((answer) => answer.status === 'rejected')
  assert.equal(refused.length, 60 - 11)
  assert.equal(refused[0]!.reason.code, 'RATE_LIMIT_HIT')
})
