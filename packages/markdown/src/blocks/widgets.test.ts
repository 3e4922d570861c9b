import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseWidget } from './widgets.ts'

test('a poll has a question and an option a line', () => {
  assert.deepEqual(parseWidget('/poll Lunch?\nsoup\n\n- salad\n* tea'), {
    widget_type: 'poll',
    extra_data: { question: 'Lunch?', options: ['soup', 'salad', 'tea'] },
  })
})

test('a to-do list has a title and a task a line, each with its description', () => {
  assert.deepEqual(parseWidget('/todo Trip\ntickets: by Friday\nbags'), {
    widget_type: 'todo',
    extra_data: {
      task_list_title: 'Trip',
      tasks: [
        { task: 'tickets', desc: 'by Friday' },
        { task: 'bags', desc: '' },
      ],
    },
  })
})

test('only a colon with a space after it ends a task', () => {
  assert.deepEqual(parseWidget('/todo Day\nMeet at 10:30\nread https://a.test/x: twice\nlast:')?.extra_data, {
    task_list_title: 'Day',
    tasks: [
      { task: 'Meet at 10:30', desc: '' },
      { task: 'read https://a.test/x', desc: 'twice' },
      { task: 'last:', desc: '' },
    ],
  })
})

test('other messages have no widget', () => {
  assert.equal(parseWidget('/polls are fun'), undefined)
  assert.equal(parseWidget('my /poll'), undefined)
})
