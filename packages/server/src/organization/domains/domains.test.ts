import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUser } from '@parley/api/identity/accounts'
import * as api from '@parley/api/organization/domains'
import { transactIn } from '../../context.ts'
import { grant } from '../../people/users/actions.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld, type World } from '../../testing/world.ts'

const at = (domain: string) => ({ path: { domain } })

async function restrict({ ctx, realmId }: World): Promise<void> {
  const settings = JSON.stringify({ emails_restricted_to_domains: true })
  await ctx.db.updateTable('realms').set({ settings }).where('id', '=', realmId).execute()
  ctx.realms.drop(realmId)
}

test('owners add, update and remove domains, and everyone receives the events', async () => {
  const { olga, gus } = await newWorld()
  await gus.registers()
  const { new_domain } = await olga.does(api.addDomain, { domain: ' Example.COM ', allow_subdomains: false })
  assert.equal(new_domain[1], 'example.com')
  await olga.does(api.updateDomain, { ...at('example.com'), allow_subdomains: true })
  assert.deepEqual((await gus.does(api.getDomains)).domains, [{ domain: 'example.com', allow_subdomains: true }])
  await olga.does(api.removeDomain, at('EXAMPLE.com'))
  assert.deepEqual((await gus.does(api.getDomains)).domains, [])
  assert.deepEqual(
    (await gus.receives('realm_domains')).map(({ op }) => op),
    ['add', 'change', 'remove'],
  )
})

test('only owners may change domains', async () => {
  const { adam, ann } = await newWorld()
  const calls = [api.addDomain, api.updateDomain, api.removeDomain]
  for (const actor of [adam, ann])
    for (const call of calls)
      assert.equal((await actor.isRefused(call, at('example.com'))).code, 'UNAUTHORIZED_PRINCIPAL')
})

test('invalid, duplicate and unknown domains are refused', async () => {
  const { olga } = await newWorld()
  await olga.does(api.addDomain, { domain: 'example.com', allow_subdomains: false })
  for (const domain of ['', 'localhost', 'a b.com', '-x.com', 'x..com', 'a/b.com', 'EXAMPLE.com'])
    await olga.isRefused(api.addDomain, { domain, allow_subdomains: false })
  await olga.isRefused(api.updateDomain, { ...at('other.com'), allow_subdomains: false })
  await olga.isRefused(api.removeDomain, at('other.com'))
})

test('new accounts must have an email in an allowed domain if the organization restricts emails', async () => {
  const world = await newWorld()
  const { olga, ctx, realmId } = world
  await transactIn(ctx, realmId, (tx) => grant(tx, olga.id, ['can_create_users']))
  await olga.does(api.addDomain, { domain: 'example.com', allow_subdomains: false })
  await olga.does(api.addDomain, { domain: 'example.org', allow_subdomains: true })
  await restrict(world)
  const from = (email: string) => ({ email, full_name: 'Nora', password: 'correct horse' })
  for (const email of ['a@x.test', 'a@sub.example.com', 'a+b@example.com', 'a@notexample.org'])
    assert.equal((await olga.isRefused(createUser, from(email))).code, 'BAD_REQUEST', email)
  for (const email of ['a@example.com', 'a@sub.example.org']) await olga.does(createUser, from(email))
})

test('removing the last domain lifts the restriction of emails', async () => {
  const world = await newWorld()
  const { olga, ann, ctx, realmId } = world
  await olga.does(api.addDomain, { domain: 'example.com', allow_subdomains: false })
  await restrict(world)
  await ann.registers()
  await olga.does(api.removeDomain, at('example.com'))
  const { realm } = await ctx.realms.get(realmId)
  assert.equal(realm.settings.emails_restricted_to_domains, false)
  assert.equal((await ann.receives('realm')).length, 1)
})

test('events are complete: domains', async () => {
  const { olga, ann } = await newWorld()
  await olga.does(api.addDomain, { domain: 'example.com', allow_subdomains: false })
  await verifyEvents([olga, ann], async () => {
    await olga.does(api.addDomain, { domain: 'example.org', allow_subdomains: true })
    await olga.does(api.updateDomain, { ...at('example.com'), allow_subdomains: true })
    await olga.does(api.removeDomain, at('example.org'))
  })
})
