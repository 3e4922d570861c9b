import { lookup } from '@parley/api/lookup'

/** Returns the translation of an English text, or the text itself. */
export type Translate = (english: string) => string

const asWritten: Translate = (english) => english

/** HTML that is safe to send: its values have been escaped. Its phrases are translated when it is written. */
export class Html {
  readonly parts: readonly (string | Phrase)[]

  constructor(...parts: (string | Phrase)[]) {
    this.parts = parts
  }

  /** In English. */
  get text(): string {
    return this.in(asWritten)
  }

  in(translate: Translate): string {
    return this.parts.map((part) => (typeof part === 'string' ? part : part.in(translate))).join('')
  }
}

/** What people read on a page: an English text, with `{name}` where a value stands. */
export class Phrase {
  readonly #english: string
  readonly #values: Readonly<Record<string, Value>>

  constructor(english: string, values: Readonly<Record<string, Value>>) {
    this.#english = english
    this.#values = values
  }

  /** As HTML. */
  in(translate: Translate): string {
    const pieces = translate(this.#english).split(/\{(\w+)\}/)
    const valueIn = (name: string) => new Html(...partsOf(lookup(this.#values, name))).in(translate)
    return pieces.map((piece, index) => (index % 2 === 0 ? escapeHtml(piece) : valueIn(piece))).join('')
  }

  /** As plain text, for emails. */
  plain(translate: Translate): string {
    const pieces = translate(this.#english).split(/\{(\w+)\}/)
    const textOf = (name: string) => {
      const value = lookup(this.#values, name)
      return value instanceof Phrase ? value.plain(translate) : String(value ?? '')
    }
    return pieces.map((piece, index) => (index % 2 === 0 ? piece : textOf(piece))).join('')
  }
}

/** A text that can be translated. `public/texts` has its translations; `npm run check:texts` finds those that are missing. */
export function say(english: string, values: Readonly<Record<string, Value>> = {}): Phrase {
  return new Phrase(english, values)
}

/** A text that is shown: ours, or what people wrote. */
export type Text = Phrase | string
type Value = Html | Phrase | string | number | false | undefined | null | Value[]

/** A template whose values are escaped, unless they are `Html` themselves. `false`, `undefined` and `null` are left out. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(...strings.flatMap((text, index) => [text, ...partsOf(values[index])]))
}

function partsOf(value: Value): readonly (string | Phrase)[] {
  if (value === false || value === undefined || value === null) return []
  if (Array.isArray(value)) return value.flatMap(partsOf)
  if (value instanceof Html) return value.parts
  return [value instanceof Phrase ? value : escapeHtml(String(value))]
}

const entities = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
])

/** Safe as text and in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => entities.get(char)!)
}
