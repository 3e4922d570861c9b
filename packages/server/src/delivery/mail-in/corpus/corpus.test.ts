import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseEmail } from '../parse-email.ts'
import { replyMarker } from '../text/quote-words.ts'
import { languages } from './mail-languages.ts'
import { email, ours, programs, quoted } from './programs.ts'

async function read(source: string, options = {}): Promise<string> {
  return (await parseEmail(Buffer.from(source), options)).text
}

for (const [program, write] of Object.entries(programs))
  test(`a reply of ${program} is what its author wrote, in every language`, async () => {
    for (const [name, language] of Object.entries(languages)) {
      const text = (await read(write(language))).replace(/^ +/gm, '')
      assert.equal(text, language.own, `${program}, ${name}`)
    }
  })

/** Emails that are not as usual, and what their authors wrote. */
const others: Record<string, [text: string, own: string]> = {
  'an answer below the quote': [
    `On 3 Nov 2026, at 10:00, Ben wrote:\n${quoted(ours)}\n\nYes, both.\n\n-- \nAnn\n`,
    'Yes, both.',
  ],
  'answers between quoted lines': [
    `Hi Ben,\n\nOn 3 Nov 2026, at 10:00, Ben wrote:\n> First question?\n\nFirst answer.\n\n> Long before.\n>\n> Second\n> question?\n\nSecond answer.\n`,
    'Hi Ben,\n\n> First question?\n\nFirst answer.\n\n> Second\n> question?\n\nSecond answer.',
  ],
  'an answer below an unmarked quote': [
    `From: Ben <ben@example.com>\nSent: 3 Nov\nTo: Ann\n\n${ours}\n\nAll of it below.\n`,
    'All of it below.',
  ],
  'no quote at all': ['Just this.\n', 'Just this.'],
  'a signature': ['Text.\n\n-- \nAnn Lee\nExample Ltd\n', 'Text.'],
  'a signature whose space was lost': ['Text.\n\n--\nAnn Lee\n', 'Text.'],
  'a quote within a quote': [`Yes.\n\nOn 3 Nov 2026 10:00, Ben wrote:\n> > old\n> ${replyMarker}\n> new\n`, 'Yes.'],
  'an English program with a German quote': [
    `Ja.\n\nOn 3 Nov 2026 10:00, Jörg wrote:\n> Am 2.11.2026 um 09:00 schrieb Ann:\n> > alt\n`,
    'Ja.',
  ],
  'only our own email': [`${quoted(ours)}\n`, ''],
  'a telephone and nothing else': ['Sent from my iPhone\n', ''],
  mutt: [
    `On Tue, Nov 03, 2026 at 10:00:00AM +0000, Ben via Example wrote:\n${quoted(ours)}\n\nFine with me.\n\n-- \nAnn\n`,
    'Fine with me.',
  ],
  'a line of the author above a Polish attribution': [
    'Tak.\nwt., 3 lis 2026 o 10:00 Ben <b@example.com> napisał(a):\n> x\n',
    'Tak.',
  ],
}

for (const [name, [text, own]] of Object.entries(others))
  test(`of ${name}, the words of the author are posted`, async () => {
    assert.equal(await read(email({ text })), own)
  })

/** What looks like a quote and is not. */
const kept = [
  'From: Berlin\nTo: Paris\nDate: 3 May\n\nIs that the plan?',
  'On Monday Ann wrote: buy milk at 10:00:\nmilk, bread',
  'On 3 Nov 2026 at 10:00 Ben wrote:\nthat we meet on Friday.',
  'a -- b --- c\n\n---\n\nAfter the line',
  'The steps:\n1. one\n2. two\n\nSent from my office at noon, the parcel should arrive.\nBye',
  '-----\nOriginal\n-----\nmessage',
  '```\n-- a comment in SQL\nselect 1\n```',
  'I think 3 > 2,\nand 2 > 1',
  'Von: mir\nAn: dich',
]

for (const text of kept)
  test(`words of the author that look like a quote stay: ${text.slice(0, 30).replaceAll('\n', ' ')}`, async () => {
    assert.equal(await read(email({ text: `${text}\n` })), text)
    assert.equal(await read(email({ text: `${text}\n\nOn 3 Nov 2026 10:00, Ben wrote:\n${quoted(ours)}\n` })), text)
  })

test('HTML becomes our markup, and nothing of it is HTML', async () => {
  const source = `<p>One <b>bold</b> and <i>it</i>, <a href="https://example.com/a">a link</a>, <a href="https://example.com">example.com</a>,
    <a href="javascript:alert(1)">no link</a>.</p><ul><li>first<li>second</ul><ol><li>a</ol><pre>x  <y>
z</pre><table><tr><td>1<td>2</table>a<br>b &lt;script&gt;&amp;<script>alert(1)</script><style>p{}</style><div style="display: none">hidden</div><span>x<div>y</div></span>`
  assert.equal(
    await read(email({ type: 'text/html', text: source })),
    'One **bold** and *it*, [a link](https://example.com/a), https://example.com,\nno link.'.replace(',\nno', ', no') +
      '\n\n- first\n- second\n\n1. a\n\n```\nx\nz\n```\n\n1 | 2\n\na\nb <script>&\nx\ny',
  )
})

test('options of an address keep what is cut by default', async () => {
  const source = email({ text: 'Text.\n\nOn 3 Nov 2026 10:00, Ben wrote:\n> old\n\n-- \nAnn\n' })
  assert.equal(await read(source), 'Text.')
  assert.equal(
    await read(source, { footer: true, quotes: true }),
    'Text.\n\nOn 3 Nov 2026 10:00, Ben wrote:\n> old\n\n--\nAnn',
  )
})

test('other character sets are read, and unknown ones do no harm', async () => {
  const raw = (charset: string, bytes: number[]) =>
    Buffer.concat([Buffer.from(`Content-Type: text/plain; charset=${charset}\r\n\r\n`), Buffer.from(bytes)])
  const textOf = async (source: Buffer) => (await parseEmail(source)).text
  assert.equal(await textOf(raw('iso-8859-1', [0xe4, 0xf6, 0xfc])), 'äöü')
  assert.equal(await textOf(raw('windows-1251', [0xc4, 0xe0])), 'Да')
  assert.equal(await textOf(raw('koi8-r', [0xe4, 0xc1])), 'Да')
  assert.equal(await textOf(raw('shift_jis', [0x82, 0xcd, 0x82, 0xa2])), 'はい')
  assert.equal(await textOf(raw('gb18030', [0xbf, 0xc9])), '可')
  assert.equal(await textOf(raw('iso-2022-jp', [0x1b, 0x24, 0x42, 0x24, 0x4f, 0x1b, 0x28, 0x42])), 'は')
  assert.ok((await textOf(raw('no-such-set', [0x61, 0xff]))).startsWith('a'))
  assert.ok((await textOf(raw('utf-8', [0x61, 0xff, 0x00, 0x62]))).isWellFormed())
})
