import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { newWorld } from '../../../testing/world.ts'
import { escapeHtml, type Marker, type Marks, markDocuments, markFound, wordsIn } from './search-highlights.ts'

const nothing: Marks = { lexemes: [], literals: [], beginnings: [] }

const marker: Marker = {
  words: async (texts) => wordsIn(texts),
  mark: async (texts, found) => markDocuments(texts, found),
}

async function mark(html: string, marks: Partial<Marks>): Promise<string> {
  const { ctx } = await newWorld()
  return (await markFound(ctx.db, marker, { ...nothing, ...marks }, [html]))[0]!
}

/** Shows highlights as [ ]. */
function short(html: string): string {
  return html.replaceAll(/<span class="highlight">([^<]*)<\/span>/g, '[$1]')
}

test('parts of words are highlighted in any case', async () => {
  assert.equal(
    short(await mark('<p>Keyboards, KEYBOARD</p>', { literals: ['board'] })),
    '<p>Key[board]s, KEY[BOARD]</p>',
  )
})

test('forms of a word are highlighted as a whole, and adjacent highlights are merged', async () => {
  const marks = { lexemes: ['meet'], literals: ['meet', 'eeting'] }
  assert.equal(short(await mark('<p>met, meeting, meets</p>', marks)), '<p>met, [meeting], [meets]</p>')
})

test('prefixes are highlighted only at the start of words', async () => {
  assert.equal(short(await mark('moon no (moss)', { beginnings: ['mo'] })), '[mo]on no ([mo]ss)')
})

test('a highlight continues across inline tags but not across blocks', async () => {
  const html = '<p><code>foo<span class="o">.</span>bar</code></p><p>foo</p><p>.bar</p>'
  const marked = '<p><code>[foo]<span class="o">[.]</span>[bar]</code></p><p>foo</p><p>.bar</p>'
  assert.equal(short(await mark(html, { literals: ['foo.bar'] })), marked)
})

test('the visible text is highlighted, not its HTML source', async () => {
  assert.equal(short(await mark('a &amp; b &lt;c&gt;', { literals: ['a & b', 'lt', 'amp'] })), '[a &amp; b] &lt;c&gt;')
  assert.equal(
    short(await mark('<a href="/moon">&copy; moon</a>', { literals: ['moon', 'copy'] })),
    '<a href="/moon">&copy; [moon]</a>',
  )
})

const piece = fc.oneof(
  fc.constantFrom(
    '<p>',
    '</p>',
    '<a href="/moon?a=1&amp;b" title="a > b">',
    '</a>',
    '<span class="o">',
    '</span>',
    '<br>',
  ),
  fc.constantFrom('moon', 'Moon light', '&amp;', '&#39;', '&nbsp;', '&copy;', '"', "'", '会议', '🚀', 'ß', 'İ'),
  fc.string({ maxLength: 6, unit: 'binary' }).map(escapeHtml),
)
const strings = fc.array(
  fc.oneof(
    fc.constantFrom('moon', 'o', 'a', '&', 'amp', '39', 'span', '<', '议', '🚀', 'i'),
    fc.string({ minLength: 1, maxLength: 3 }),
  ),
)

test('removing highlights restores the text, and no highlight contains a tag or splits an entity', async () => {
  const { ctx } = await newWorld()
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), strings, strings, async (pieces, literals, beginnings) => {
      const html = pieces.join('')
      const [marked] = await markFound(ctx.db, marker, { ...nothing, literals, beginnings }, [html])
      const opened = marked!.split('<span class="highlight">')
      const unmarked = opened.map((part, index) => (index === 0 ? part : part.replace('</span>', '')))
      assert.equal(unmarked.join(''), html)
      for (const part of opened.slice(1)) assert.ok(!part.slice(0, part.indexOf('</span>')).includes('<'))
      assert.doesNotMatch(marked!, /&(?!#?\w+;)/)
    }),
    { numRuns: 2000 },
  )
})

test('highlighting takes linear time, however often a word occurs', () => {
  const cpuOf = (count: number) => {
    const start = process.cpuUsage()
    markDocuments(['<b>moon</b> '.repeat(count)], { forms: [], literals: ['moon'], beginnings: [] })
    return process.cpuUsage(start).user
  }
  cpuOf(10_000) // compile first
  assert.ok(cpuOf(80_000) < 30 * (cpuOf(10_000) + 1000)) // 64 times as long if it were quadratic
})
