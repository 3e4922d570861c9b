import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { markEnd, markStart } from './marks.ts'
import { garden, html } from './testing.ts'

// What our HTML may consist of. Formulas bring their own elements, none of which loads or runs anything.
const tags: Record<string, RegExp> = {
  a: /^(?:class|data-id|data-stream-id|href|title)$/,
  blockquote: /^$/,
  br: /^$/,
  code: /^$/,
  del: /^$/,
  div: /^(?:aria-hidden|class|data-code-language)$/,
  em: /^$/,
  hr: /^$/,
  img: /^(?:alt|class|data-[a-z-]+|src|title)$/,
  li: /^$/,
  ol: /^start$/,
  p: /^$/,
  pre: /^$/,
  span: /^(?:aria-hidden|aria-label|class|data-user-group-id|data-user-id|role|style|title)$/,
  strong: /^$/,
  table: /^$/,
  tbody: /^$/,
  td: /^style$/,
  th: /^style$/,
  thead: /^$/,
  time: /^datetime$/,
  tr: /^$/,
  ul: /^$/,
  video: /^(?:preload|src)$/,
}
for (const level of [1, 2, 3, 4, 5, 6]) tags[`h${level}`] = /^$/
const formulaTag = /^(?:math|semantics|annotation|m[a-z]+|svg|path|line)$/
const formulaAttribute = /^(?!on|href|src|xlink)/i
const safeAddress = /^(?:https?:|mailto:|ftp:|tel:|\/|#|user_uploads\/)/

const piece = fc.oneof(
  fc.constantFrom(
    ...'* ** *** ~~ ` `` ``` ~~~ [ ] ( ) ]( < > > \n \n\n # | -|- $$ : @** ** #** & &lt; " \' \\ _ ^ {'.split(' '),
    ...['<script>', '<img src=x onerror=alert(1)>', '" onclick="x', 'javascript:alert(1)', '](javascript:x)'],
    ...[
      '@**Ada Byron**',
      '@*designers*',
      '#**garden club>roses**',
      ':tada:',
      ':parrot:',
      '😀',
      '#12',
      '<time:2031-01-01>',
    ],
    ...[
      'https://a.com/x.png',
      'a.com',
      'x@a.com',
      '* ',
      '1. ',
      '  ',
      '    ',
      '\n> ',
      '\n```quote\n',
      '\n```spoiler x\n',
    ],
    ...[
      '\n```js\n',
      '\n```math\n',
      '\n```\n',
      '\u0002',
      '\u00030\u0003',
      '\u0002f0\u0003',
      '\u00020\u0003',
      '\r\n',
      '\t',
      '\0',
    ],
  ),
  fc.string({ maxLength: 6 }),
  fc.string({ unit: 'binary', maxLength: 3 }),
)
const message = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(''))

test('whatever is written, the HTML holds only our tags and attributes, properly nested', () => {
  fc.assert(
    fc.property(message, (text) => checkHtml(html(text, { ...garden, translateEmoticons: true }))),
    { numRuns: 4000 },
  )
})

function checkHtml(rendered: string): void {
  const open: string[] = []
  const rest = rendered.replace(
    /<(\/?)([a-z0-9]+)((?: [a-zA-Z-]+="[^"<>]*")*)>/g,
    (_, slash, tag: string, list: string) => {
      if (slash) assert.equal(open.pop(), tag)
      else if (!/^(?:br|hr|img)$/.test(tag)) open.push(tag)
      checkTag(tag, list)
      return ''
    },
  )
  assert.deepEqual(open, [])
  assert.doesNotMatch(rest, /[<>]/)
  assert.ok(!rest.includes(markStart) && !rest.includes(markEnd))
}

function checkTag(tag: string, list: string): void {
  const allowed = tags[tag] ?? (formulaTag.test(tag) ? formulaAttribute : undefined)
  assert.ok(allowed, `<${tag}>`)
  for (const [, name = '', value = ''] of list.matchAll(/ ([a-zA-Z-]+)="([^"]*)"/g)) {
    assert.match(name, allowed)
    if (name === 'href' || name === 'src') assert.match(value, safeAddress)
  }
}
