import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isKnown, longLines, pathsIn, taskProblems, tasksIn } from './check-docs.ts'

const files = ['packages/server/src/delivery/mail/templates.ts', 'docs/schema.sql']

test('paths of files are found with their line; other code is not', () => {
  assert.deepEqual(pathsIn('see `mail/templates.ts`\n`npm run x`, `a/b` and `docs/schema.sql`'), [
    [1, 'mail/templates.ts'],
    [2, 'docs/schema.sql'],
  ])
})

test('a path is known if a file ends with it, also with wildcards', () => {
  assert.ok(isKnown('mail/templates.ts', files))
  assert.ok(isKnown('mail/*.ts', files))
  assert.ok(isKnown('mail/{templates,other}.ts', files))
  assert.equal(isKnown('ail/templates.ts', files), false)
  assert.equal(isKnown('mail/missing.ts', files), false)
})

test('lines of more than 120 characters are found, except in code blocks', () => {
  const long = 'é'.repeat(121)
  assert.deepEqual(longLines(['é'.repeat(120), long, '```', long, '```', `| ${long} |`].join('\n')), [2, 6])
})

test('a task needs a row in the table of jobs, and a row needs its task', () => {
  const source =
    'const work: Work = {\n  send: sendMail,\n  end: (x) =>\n    y: 1,\n}\nconst periodicTasks: R = {\n  trim: [],\n}\n'
  const tasks = tasksIn(source)
  assert.deepEqual(tasks, ['send', 'end', 'trim'])
  assert.deepEqual(taskProblems(tasks, '| `send` | now |\n| `gone` | never |\n| `trim` |'), [
    'docs/jobs.md does not describe end.',
    'docs/jobs.md describes gone, which is no task.',
  ])
})
