import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Actor } from '../actor.ts'
import { type AccessWorld, newAccessWorld, type Stage } from './callers.ts'
import { histories, type Pair } from './histories.ts'
import { operationRows } from './operations.ts'
import { ask, type Values } from './request.ts'
import type { Row } from './row.ts'
import { stableBody } from './stable-bodies.ts'
import { peopleRows } from './user-rows.ts'

let access: AccessWorld

before(async () => {
  access = await newAccessWorld()
})

/** Everything that needs credentials and does not end them. */
const rows = [...operationRows, ...peopleRows].filter(
  ({ operation, spendsCaller }) => operation.access !== 'anyone' && !spendsCaller,
)

for (const [index, [name, happen]] of Object.entries(histories).entries())
  test(`${name} may do exactly what its role allows now`, async () => {
    const stage = index % 2 ? access.limited : access.main // to stay below the limits of each
    const pair = await happen(stage)
    const differences: string[] = []
    for (const row of rows) {
      const [formed, fresh] = await outcomesOf(stage, row, pair)
      if (formed !== fresh) differences.push(`${row.does}\n  now:      ${formed}\n  expected: ${fresh}`)
    }
    assert.equal(differences.join('\n'), '')
  })

/** What both get. Reads and refusals are compared whole. A request that succeeded is made again, because it may work once. */
async function outcomesOf(stage: Stage, row: Row, { formed, fresh }: Pair): Promise<[string, string]> {
  const request = await row.request(stage, 'BG')
  const first = await outcome(stage, row, formed, request)
  return [first, await outcome(stage, row, fresh, first === done ? await row.request(stage, 'BG') : request)]
}

const done = 'done'

async function outcome({ app, known }: Stage, { operation }: Row, caller: Actor, request: Values): Promise<string> {
  const { status, body } = await ask(app, caller.headers, operation, request)
  if (status === 200 && operation.method !== 'GET') return done
  return `${status} ${stableBody(body, known)}`
}
