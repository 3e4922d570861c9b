import type { RenderContext } from './context.ts'
import { checkHtml } from './html-checker.ts'
import { garden, html } from './testing.ts'

// Texts for tests: all kinds of markup in wrong places. The same seed gives the same texts.

const marks =
  '* ** *** ~~ ` `` ``` ~~~ [ ] ( ) ]( ![ < > # | -|- $$ : @** ** #** @_** @* & &lt; &amp; &#106; &colon; " \' \\ _ ^ { } ; / . , - + ! ? = %'
const words = [
  'a',
  'foo',
  '中文',
  'é',
  '😀',
  '👨‍👩‍👧',
  '1️⃣',
  '\u202e',
  '\ufeff',
  '\ud800',
  '\u0002',
  '\u00030\u0003',
  '\u0002f0\u0003',
  '\u00020\u0003',
  '\0',
  '\t',
  '\r\n',
  '\u00a0',
  '\u2028',
  ...[
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg/onload=x>',
    '</p>',
    '<!--',
    ']]>',
    '<a href="x">',
  ],
  ...['" onclick="x', "' style='x", 'javascript:alert(1)', 'JaVa\nScRiPt:x', 'data:text/html,<b>', 'vbscript:x'],
  ...['//evil.example', '\\\\evil', 'https://a.com/x.png', 'https://a.com/"x.png', 'http://a.com/<x>.mp4', 'a.com'],
  ...['http://[::1]/x.gif', 'https://youtu.be/abc?v="x"', 'https://github.com/a/b/blob/c/d.png', 'x@a.com', 'mailto:x'],
  ...['/user_uploads/2/ab/k/cat.png', 'https://garden.example/user_uploads/2/x.mp3', '#narrow/"x', 'https://a.com/p'],
  ...['@**Ada Byron**', '@**|12**', '@_**Charles Babbage|13**', '@**all**', '@**topic**', '@*designers*', '@*retired*'],
  ...['#**garden club**', '#**garden club>roses**', '#**garden club>"<b>@214**', '#**garden club>**'],
  ...[':tada:', ':parrot:', ':zulip:', ':"><b>:', ':)', '<3', ':D', '#12', '#007', '<time:2031-01-01>', '<time:"<b>>'],
  ...[
    '$$x^2$$',
    '$$\\href{javascript:x}{y}$$',
    '$$\\html{<b>}$$',
    '$$\\text{<b>}$$',
    '$$\\color{red;x:y}{z}$$',
    '$$\\url{x}$$',
  ],
  ...['/me ', '/poll x', '&nbsp;', '&#x6a;avascript:x', '%00', '%0a', '&NewLine;'],
]
const starts = [
  ...[
    '\n',
    '\n\n',
    '\n* ',
    '\n- ',
    '\n+ ',
    '\n1. ',
    '\n007. ',
    '\n  * ',
    '\n    ',
    '\n> ',
    '\n>> ',
    '\n>',
    '\n# ',
    '\n###### ',
  ],
  ...[
    '\n---\n',
    '\n|a|b|\n|-|:-:|\n|',
    '\n|',
    '\n```\n',
    '\n```js\n',
    '\n```"<b>\n',
    '\n```math\n',
    '\n```quote\n',
    '\n~~~\n',
  ],
  ...[
    '\n```spoiler x\n',
    '\n````spoiler <b>"\n',
    '\n```{.py}\n',
    '\n  ```\n',
    '\n* a\n\n  b',
    '\n> * 1. ',
    '\n:::python\n',
    '\n#!/usr/bin/env sh\n',
  ],
]
const pieces = [...marks.split(' '), ' ', '  ']
const wraps = [
  (inner: string) => `[${inner}](https://a.com)`,
  (inner: string) => `[x](${inner})`,
  (inner: string) => `![x](${inner})`,
  (inner: string) => `[x](https://a.com "${inner}")`,
  (inner: string) => `**${inner}**`,
  (inner: string) => `*${inner}*`,
  (inner: string) => `~~${inner}~~`,
  (inner: string) => `\`${inner}\``,
  (inner: string) => `$$${inner}$$`,
  (inner: string) => `<time:${inner}>`,
  (inner: string) => `@**${inner}**`,
  (inner: string) => `#**garden club>${inner}**`,
  (inner: string) => `:${inner}:`,
  (inner: string) => `https://a.com/${inner}`,
  (inner: string) => `\n\`\`\`quote\n${inner}\n\`\`\`\n`,
  (inner: string) => `\n\`\`\`spoiler ${inner}\n${inner}\n\`\`\`\n`,
]

/** A generator of texts. */
export class NastyTexts {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  next(): string {
    let text = ''
    for (let count = 1 + this.#below(14); count > 0; count--) text += this.#part(3)
    return text
  }

  #part(depth: number): string {
    const kind = this.#below(10)
    if (kind < 3 && depth > 0) return this.#of(wraps)(this.#part(depth - 1) + this.#part(depth - 1))
    if (kind < 5) return this.#of(starts)
    return kind < 8 ? this.#of(words) : this.#of(pieces)
  }

  #of<T>(list: readonly T[]): T {
    return list[this.#below(list.length)] as T
  }

  /** Mulberry32. */
  #below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

const realm: RenderContext = {
  ...garden,
  translateEmoticons: true,
  images: [{ path_id: '2/ab/k/cat.png', content_type: 'image/png', width: 8, height: 6, thumbnail_ready: true }],
  pages: [{ url: 'https://a.com/p', title: '<b>"', description: '<i>', image: 'https://a.com/i(1)\'".png' }],
}

/** Renders this many texts and fails at the first invalid HTML. */
export function fuzz(count: number, seed: number): void {
  const texts = new NastyTexts(seed)
  for (let index = 0; index < count; index++) {
    const text = texts.next()
    try {
      checkHtml(html(text, realm))
    } catch (error) {
      throw new Error(`text ${index} of seed ${seed}, ${JSON.stringify(text)}: ${String(error)}`, { cause: error })
    }
  }
}
