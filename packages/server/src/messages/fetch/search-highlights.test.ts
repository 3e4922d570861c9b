import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { newWorld } from '../../testing/world.ts'
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

/** With [ ] for the marks. */
function short(html: string): string {
  return html.replaceAll(/<span class="highlight">([^<]*)<\/span>/g, '[$1]')
}

test('parts of words are marked whatever the case of their letters', async () => {
  assert.equal(
    short(await mark('<p>Keyboards, KEYBOARD</p>', { literals: ['board'] })),
    '<p>Key[board]s, KEY[BOARD]</p>',
  )
})

test('forms of a word are marked whole, and what touches is one mark', async () => {
  const marks = { lexemes: ['meet'], literals: ['meet', 'eeting'] }
  assert.equal(short(await mark('<p>met, meeting, meets</p>', marks)), '<p>met, [meeting], [meets]</p>')
})

test('beginnings are marked only where words begin', async () => {
  assert.equal(short(await mark('moon no (moss)', { beginnings: ['mo'] })), '[mo]on no ([mo]ss)')
})

test('a mark goes on over inline tags, but not from one block to the next', async () => {
  const html = '<p><code>foo<span class="o">.</span>bar</code></p><p>foo</p><p>.bar</p>'
  const marked = '<p><code>[foo]<span class="o">[.]</span>[bar]</code></p><p>foo</p><p>.bar</p>'
  assert.equal(short(await mark(html, { literals: ['foo.bar'] })), marked)
})

test('what is shown is marked, not how it is written in HTML', async () => {
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
const wanted = fc.array(
  fc.oneof(
    fc.constantFrom('moon', 'o', 'a', '&', 'amp', '39', 'span', '<', '议', '🚀', 'i'),
    fc.string({ minLength: 1, maxLength: 3 }),
  ),
)

test('without its marks a text is what it was, and no mark holds a tag or breaks an entity', async () => {
  const { ctx } = await newWorld()
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), wanted, wanted, async (pieces, literals, beginnings) => {
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

test('marking takes time in proportion to the text, however often a word stands in it', () => {
  const cpuOf = (count: number) => {
    const start = process.cpuUsage()
    markDocuments(['<b>moon</b> '.repeat(count)], { forms: [], literals: ['moon'], beginnings: [] })
    return process.cpuUsage(start).user
  }
  cpuOf(10_000) // compile first
  assert.ok(cpuOf(80_000) < 30 * (cpuOf(10_000) + 1000)) // 64 times as long if it were quadratic
})
