import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { matches } from './matches.ts'
import type { DB } from './tables.generated.ts'

const db = new Kysely<DB>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (known) => new PostgresIntrospector(known),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

const users = db.selectFrom('users').select('id')

test('a list of any length is one parameter', () => {
  for (const id of [[], [1], [1, 2]]) {
    const { sql, parameters } = users.where(matches({ id })).compile()
    assert.equal(sql, 'select "id" from "users" where "id" = any($1)')
    assert.deepEqual(parameters, [id])
  }
})

test('booleans and null are literals, so that partial indexes apply', () => {
  const condition = matches({ realm_id: 1, is_active: true, is_system_bot: false, bot_type: null })
  const { sql, parameters } = users.where(condition).compile()
  assert.match(sql, /where \("realm_id" = \$1 and "is_active" and not "is_system_bot" and "bot_type" is null\)$/)
  assert.deepEqual(parameters, [1])
})

test('unknown columns and values of other types do not compile', () => {
  // @ts-expect-error
  users.where(matches({ word_key: 'a' }))
  // @ts-expect-error
  users.where(matches({ realm_id: '1' }))
  // @ts-expect-error
  users.where(matches({ realm_id: null }))
})
