import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followSchedule, isDue } from './schedule.ts'

const at = (time: string) => new Date(`2026-11-16T${time}:00Z`) // a Monday

test('a schedule is due in the minutes that match all its fields', () => {
  assert.ok(isDue('* * * * *', at('07:33')))
  assert.ok(isDue('*/5 * * * *', at('07:35')))
  assert.ok(!isDue('*/5 * * * *', at('07:33')))
  assert.ok(isDue('47 3 * * *', at('03:47')))
  assert.ok(!isDue('47 3 * * *', at('04:47')))
  assert.ok(isDue('0 0 16 11 1', at('00:00')))
  assert.ok(!isDue('0 0 16 11 2', at('00:00')))
})

test('an invalid schedule throws an error', () => {
  for (const pattern of ['', '* * * *', '1-5 * * * *', 'x * * * *']) assert.throws(() => isDue(pattern, at('00:00')))
})

test('a schedule with an invalid pattern does not begin', () => {
  for (const pattern of ['3-59/10 * * * *', '0 0 1 1 x'])
    assert.throws(() => followSchedule({ wrong: pattern }, () => {}), /no field of a schedule/)
})

test('missed minutes are caught up', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: at('03:00') })
  const due: string[] = []
  const following = followSchedule({ nightly: '5 3 * * *' }, (tasks, minute) =>
    due.push(`${tasks.join()} ${minute.toISOString()}`),
  )
  t.mock.timers.setTime(at('03:00').getTime())
  t.mock.timers.tick(59_000)
  t.mock.timers.setTime(at('03:20').getTime()) // the timer fires twenty minutes late
  t.mock.timers.tick(61_000)
  following.stop()
  assert.deepEqual(due, ['nightly 2026-11-16T03:05:00.000Z'])
})

test('tasks of the same minute are added together', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: at('03:04') })
  const due: string[][] = []
  const schedule = { often: '* * * * *', nightly: '5 3 * * *', later: '6 3 * * *' }
  const following = followSchedule(schedule, (tasks) => due.push(tasks))
  t.mock.timers.tick(61_000)
  following.stop()
  assert.deepEqual(due, [['often', 'nightly']])
})
