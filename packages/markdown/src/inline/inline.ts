import { escapeText } from '../html.ts'
import type { Message } from '../message.ts'
import { inlineMark, inlineMarks, markStart, onlyInlineMark } from './marks.ts'

/** A link in the text, for its preview. */
export interface Link {
  url: string
  text: string
}

interface Kept {
  html: string
  source: string
  link?: Link
  /** The text with marks that the HTML encloses. */
  inner?: string
}

/**
 * One kind of inline markup. It replaces each match by a mark for finished HTML, which later rules skip but may
 * enclose. `next` is the first rule to apply to the text inside the match.
 */
export interface InlineRule {
  /** The rule is applied only to text that contains this. */
  key: string
  apply(text: string, inline: Inline, next: number): string
}

/** The markup of one paragraph, heading, cell or list item. */
export class Inline {
  readonly message: Message
  /** Mentions in a quote notify nobody. */
  readonly quoted: boolean
  private readonly rules: readonly InlineRule[]
  private readonly kept: Kept[] = []

  /** Earlier rules take precedence. */
  constructor(rules: readonly InlineRule[], message: Message, quoted: boolean) {
    this.rules = rules
    this.message = message
    this.quoted = quoted
  }

  /** Stores finished HTML and returns its mark. */
  keep(html: string, source: string, more: Pick<Kept, 'link' | 'inner'> = {}): string {
    return inlineMark(this.kept.push({ html, source, ...more }) - 1)
  }

  /** Applies the rules, starting with the given one. The result is text with marks. */
  read(text: string, from = 0): string {
    let result = text
    for (let index = from; index < this.rules.length; index++) {
      const rule = this.rules[index]
      if (rule && result.includes(rule.key)) result = rule.apply(result, this, index + 1)
    }
    return result
  }

  /** The HTML of text with marks. */
  html(text: string): string {
    if (!text.includes(markStart)) return escapeText(text)
    return replaceMarks(text, (index) => this.kept[index]?.html ?? '', escapeText)
  }

  /** The source of text with marks, for URLs, which contain no markup. */
  source(text: string): string {
    if (!text.includes(markStart)) return text
    return replaceMarks(text, (index) => this.source(this.kept[index]?.source ?? ''), String)
  }

  get hasLinks(): boolean {
    return this.kept.some(({ link }) => link !== undefined)
  }

  /** The links whose marks are in the text itself, and those inside other markup, in the order of the text. */
  linksIn(text: string): { direct: Link[]; enclosed: Link[] } {
    const links: { direct: Link[]; enclosed: Link[] } = { direct: [], enclosed: [] }
    this.collectLinks(text, links.direct, links.enclosed)
    return links
  }

  private collectLinks(text: string, direct: Link[], enclosed: Link[]): void {
    for (const found of text.matchAll(inlineMarks)) {
      const { link, inner } = this.kept[Number(found[1])] ?? {}
      if (link) direct.push(link)
      if (inner !== undefined) this.collectLinks(inner, enclosed, enclosed)
    }
  }

  /** The link, if the text consists only of its mark. */
  onlyLink(text: string): Link | undefined {
    const alone = onlyInlineMark.exec(text.trim())
    return alone ? this.kept[Number(alone[1])]?.link : undefined
  }
}

function replaceMarks(text: string, marked: (index: number) => string, between: (text: string) => string): string {
  let result = ''
  let isMark = false
  // The parts alternate: text, the index in a mark, text, and so on.
  for (const part of text.split(inlineMarks)) {
    result += isMark ? marked(Number(part)) : between(part)
    isMark = !isMark
  }
  return result
}
