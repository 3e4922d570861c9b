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

test('other messages have no widget', () => {
  assert.equal(parseWidget('/polls are fun'), undefined)
  assert.equal(parseWidget('my /poll'), undefined)
})
