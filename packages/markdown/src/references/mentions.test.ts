import assert from 'node:assert/strict'
import { test } from 'node:test'
import { render } from '../render.ts'
import { garden, html } from '../testing.ts'

const ada = '<span class="user-mention" data-user-id="12">@Ada Byron</span>'
const silentAda = '<span class="user-mention silent" data-user-id="12">Ada Byron</span>'

test('a mention finds the user whatever the case, and shows the name as it is', () => {
  const rendered = render('hi @**ada BYRON**', garden)
  assert.equal(rendered.html, `<p>hi ${ada}</p>`)
  assert.deepEqual(rendered.mentionedUserIds, [12])
})

test('an ID may stand beside the name or alone, and must agree with the name', () => {
  assert.equal(html('@**Ada Byron|12** @**|12**'), `<p>${ada} ${ada}</p>`)
  assert.equal(html('@**Ada|12**'), '<p>@<strong>Ada|12</strong></p>')
})

test('a silent mention notifies nobody', () => {
  const rendered = render('@_**Ada Byron**', garden)
  assert.equal(rendered.html, `<p>${silentAda}</p>`)
  assert.deepEqual(rendered.mentionedUserIds, [])
})

test('deactivated users and groups are mentioned silently', () => {
  const rendered = render('@**Charles Babbage** @*retired*', garden)
  assert.match(rendered.html, /"user-mention silent".*"user-group-mention silent"/)
  assert.deepEqual([rendered.mentionedUserIds, rendered.mentionedGroupIds], [[], []])
})

test('mentions in both kinds of quotes are silent', () => {
  assert.equal(html('> @**Ada Byron**'), `<blockquote>\n<p>${silentAda}</p>\n</blockquote>`)
  const rendered = render('```quote\n@**Ada Byron** @**all** @*designers*\n```', garden)
  assert.match(rendered.html, /silent.*silent.*silent/)
  assert.deepEqual(rendered.mentionedUserIds, [])
  assert.equal(rendered.channelWildcard, false)
})

test('nobody is mentioned in code', () => {
  assert.equal(html('`@**Ada Byron**`'), '<p><code>@**Ada Byron**</code></p>')
})

test('four words mean the whole channel', () => {
  for (const word of ['all', 'everyone', 'channel', 'stream']) {
    const rendered = render(`@**${word}**`, garden)
    const classes = 'user-mention channel-wildcard-mention'
    assert.equal(rendered.html, `<p><span class="${classes}" data-user-id="*">@${word}</span></p>`)
    assert.equal(rendered.channelWildcard, true)
  }
})

test('one word means those who took part in the topic', () => {
  const rendered = render('@**topic** @_**topic**', garden)
  const silent = '<span class="topic-mention silent">topic</span>'
  assert.equal(rendered.html, `<p><span class="topic-mention">@topic</span> ${silent}</p>`)
  assert.equal(rendered.topicWildcard, true)
})

test('a group mention notifies the group', () => {
  const rendered = render('@*designers*', garden)
  assert.equal(rendered.html, '<p><span class="user-group-mention" data-user-group-id="7">@designers</span></p>')
  assert.deepEqual(rendered.mentionedGroupIds, [7])
})

test('a system group is shown by what it means', () => {
  assert.match(html('@_*role:members*'), /data-user-group-id="4">Members</)
})

test('a mention stands after white space or an opening mark', () => {
  assert.equal(html('(@**Ada Byron**'), `<p>(${ada}</p>`)
  assert.equal(html('x@**Ada Byron**'), '<p>x@<strong>Ada Byron</strong></p>')
})

test('a group is shown by its name, also where that is the name of something every object has', () => {
  for (const name of ['__proto__', 'constructor', 'toString']) {
    const rendered = render(`@*${name}*`, { groups: [{ id: 5, name }] })
    assert.equal(rendered.html, `<p><span class="user-group-mention" data-user-group-id="5">@${name}</span></p>`)
  }
})
