import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slackMessage } from './message.ts'
import { slackToMarkup } from './to-markup.ts'

const cases: [string, string][] = [
  ['*bold* _slanted_ ~gone~', '**bold** *slanted* ~~gone~~'],
  ['2*3*4 and snake_case_name', '2&#42;3&#42;4 and snake_case_name'],
  ['*open\nnext* line', '&#42;open\nnext&#42; line'],
  ['_*both*_', '***both***'],
  ['`a &lt;b&gt; *c*`', '`a <b> *c*`'],
  ['```\nline *1*\n```', '\n```\nline *1*\n```\n'],
  ['<https://a.example/x|the page>', '[the page](https://a.example/x)'],
  ['<mailto:a@b.example>', 'a@b.example'],
  ['<javascript:alert(1)|click>', 'click'],
  ['<@U1|rosa> in <#C1|ops> for <!subteam^S1|@devs>', '@rosa in #ops for @devs'],
  ['<!channel>', '@**all**'],
  ['<!date^0^x|never>', 'never'],
  ['a < b & c', 'a < b & c'],
  ['<unclosed', '<unclosed'],
  ['&gt; quoted', '> quoted'],
]

for (const [slack, ours] of cases)
  test(`Slack's ${JSON.stringify(slack)}`, () => assert.equal(slackToMarkup(slack), ours))

test('names of users come from the caller, as an importer needs it', () => {
  assert.equal(slackToMarkup('<@U1> hi', { user: (id) => `@**Rosa|${id}**` }), '@**Rosa|U1** hi')
})

test('text is only the fallback of blocks, and unknown blocks are noted', () => {
  const section = { type: 'section', text: { type: 'mrkdwn', text: 'shown' } }
  assert.deepEqual(slackMessage({ text: 'fallback', blocks: [section] }), { text: 'shown', note: undefined })
  const unknown = slackMessage({ text: 'fallback', blocks: [{ type: 'hologram' }] })
  assert.deepEqual(unknown, { text: 'fallback', note: 'Unknown kinds of blocks: hologram.' })
})

test('converting takes time in proportion to the length', () => {
  for (const part of ['*', '_a', '<', '`', '```', '<@', '* a'])
    assert.ok(slackToMarkup(part.repeat(20_000)).length > 0, part)
})

test('a list with an indent that no list has is a list', () => {
  for (const indent of [-1, 1e9, 'x']) {
    const items = [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'one' }] }]
    const list = { type: 'rich_text_list', style: 'bullet', indent, elements: items }
    assert.match(slackMessage({ blocks: [{ type: 'rich_text', elements: [list] }] }).text, /^ *\* one$/)
  }
})
