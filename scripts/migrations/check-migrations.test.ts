import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrationProblems } from './check-migrations.ts'

const refused: Record<string, string> = {
  'create index a on messages (id)': 'concurrently',
  'create unique index a\n  on public.messages (id)': 'concurrently',
  'alter table messages add constraint c check (id > 0)': 'not valid',
  'alter table messages add foreign key (realm_id) references realms (id)': 'not valid',
  'alter table messages add constraint c unique (id)': 'using index',
  'alter table messages alter column id type text': 'rewrites',
  'alter table messages add column later text not null': 'default',
  'alter table messages rename column a to b': 'contract',
  'alter table messages drop column a': 'contract',
  'drop table messages': 'contract',
  'update messages set a = 1': 'job',
  'delete from messages': 'job',
}

for (const [sql, reason] of Object.entries(refused))
  test(`a migration is refused: ${sql.replace(/\s+/g, ' ')}`, () => {
    const problems = migrationProblems('9000_later.sql', `-- Why.\n${sql};\n`)
    assert.equal(problems.length, 1)
    assert.ok(problems[0]!.includes(reason), problems[0])
  })

test('what takes no time, or concerns a new table, is accepted', () => {
  const sql = [
    'create table later (id bigint primary key)',
    'create index later_by_id on later (id)',
    'alter table messages add column later text',
    "alter table messages add column other text not null default ''",
    'alter table messages add constraint c check (id > 0) not valid',
    'alter table messages validate constraint c',
    'alter table messages add constraint c unique using index i',
  ]
  assert.deepEqual(migrationProblems('9000_later.sql', `${sql.join(';\n')};\n`), [])
})

test('what the previous release no longer reads may be dropped where the file says so', () => {
  assert.deepEqual(migrationProblems('9000_later.sql', '-- contract: 0.6.0\nalter table messages drop column a;\n'), [])
})

test('a concurrent file repeats nothing that an interruption has left', () => {
  const create = 'create index concurrently a on messages (id);\n'
  assert.match(migrationProblems('9000_a.concurrent.sql', create)[0]!, /drop index concurrently if exists a first/)
  assert.deepEqual(migrationProblems('9000_a.concurrent.sql', `drop index concurrently if exists a;\n${create}`), [])
  assert.match(migrationProblems('9000_a.concurrent.sql', 'vacuum messages;\n')[0]!, /only indexes/)
})
