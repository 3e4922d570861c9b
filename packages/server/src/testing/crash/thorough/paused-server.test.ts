import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import * as queues from '@parley/api/delivery/queues'
import { deactivateUser, revokeUserKeys } from '@parley/api/identity/accounts'
import type { Operation } from '@parley/api/operation'
import { getOwnUser } from '@parley/api/people/users'
import { type Account, Connection } from '../clients.ts'
import type { Program } from '../crashing-program.ts'
import { createAccounts } from '../harness.ts'
import { withPostgres } from '../servers.ts'

type Ask = (account: Account, operation: Operation, params?: Record<string, unknown>) => ReturnType<Connection['ask']>

const asking =
  ({ port }: Program): Ask =>
  (account, operation, params = {}) =>
    new Connection([port], account).ask(operation, params)

/** The operation on one user; the connection does not fill in paths. */
function on(operation: Operation, userId: number): Operation {
  return { ...operation, path: operation.path.replace('{user_id}', String(userId)) }
}

test('a server that was paused while callers were revoked answers none of them', async () => {
  await withPostgres(async ({ url, program }) => {
    const programs = [await program('serve'), await program('serve')] as const
    const [here, paused] = [asking(programs[0]), asking(programs[1])]
    const [ann, ...others] = (await createAccounts(url)) as [Account, Account, Account, Account]
    const [ben, cleo] = others
    const ids = []
    for (const account of others) ids.push((await paused(account, getOwnUser))!.user_id as number)
    const { queue_id, last_event_id } = (await paused(ben, queues.register, { event_types: ['message'] }))!

    for (let round = 0; round < 5; round++) await paused(ben, getOwnUser)
    programs[1].pause()
    await here(ann, on(revokeUserKeys as Operation, ids[0]!))
    await here(ann, on(deactivateUser as Operation, ids[1]!))
    await sleep(100)
    const asked = [
      paused(ben, getOwnUser),
      paused(cleo, getOwnUser),
      paused(ben, queues.getEvents, { queue_id, last_event_id, dont_block: true }),
    ]
    await sleep(100) // the requests wait in the kernel
    programs[1].resume()

    for (const answer of await Promise.all(asked)) assert.equal(answer?.code, 'UNAUTHORIZED', JSON.stringify(answer))
    assert.equal((await paused(others[2]!, getOwnUser))?.result, 'success')
  })
})
