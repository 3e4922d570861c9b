import '../testing/english.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextIndex, widgetOf } from './widget-model.ts'

const submessages = (...contents: [sender: number, content: object][]) =>
  contents.map(([sender_id, content], index) => ({
    id: index + 1,
    message_id: 1,
    sender_id,
    msg_type: 'widget' as const,
    content: JSON.stringify(content),
  }))

const poll = { widget_type: 'poll', extra_data: { question: 'Lunch?', options: ['Pizza', 'Soup'] } }

test('a poll counts each voter once and forgets votes that were taken back', () => {
  const key = 'canned,0'
  const found = widgetOf(
    submessages(
      [7, poll],
      [8, { type: 'vote', key, vote: 1 }],
      [8, { type: 'vote', key, vote: 1 }],
      [9, { type: 'vote', key, vote: 1 }],
      [9, { type: 'vote', key, vote: -1 }],
    ),
  )
  assert.deepEqual(found?.type === 'poll' && found.options[0]?.voters, [8])
})

test('an option that a user adds can be voted for', () => {
  const found = widgetOf(
    submessages(
      [7, poll],
      [8, { type: 'new_option', idx: 1, option: 'Rice' }],
      [7, { type: 'vote', key: '8,1', vote: 1 }],
    ),
  )
  assert.deepEqual(found?.type === 'poll' && found.options[2], { key: '8,1', text: 'Rice', voters: [7] })
})

test('striking a task twice reopens it', () => {
  const todo = { widget_type: 'todo', extra_data: { task_list_title: '', tasks: [{ task: 'Sweep', desc: '' }] } }
  const strike = { type: 'strike', key: '0,canned' }
  const done = (...actions: [number, object][]) => {
    const found = widgetOf(submessages([7, todo], ...actions))
    return found?.type === 'todo' && found.tasks[0]?.isDone
  }
  assert.equal(done([8, strike]), true)
  assert.equal(done([8, strike], [9, strike]), false)
})

test('content that is not JSON is ignored', () => {
  const [first] = submessages([7, poll])
  const found = widgetOf([first!, { ...first!, id: 2, content: '{' }])
  assert.equal(found?.type, 'poll')
})

test('a new option gets an index that its author has not used', () => {
  const all = submessages([7, poll], [8, { type: 'new_option', idx: 1, option: 'Rice' }])
  assert.equal(nextIndex(all, 8), 2)
})
