import type { Message, Part } from './src/platform/i18n.ts'

/**
 * Parses ICU messages: `{name}`, `{count, number}`, `{count, plural, one {# file} other {# files}}`,
 * `{kind, select, a {…} other {…}}`, `<b>…</b>`. Apostrophes quote as in ICU: `'{'`, and `''` is one.
 */
export function parseMessage(source: string): Message {
  const parser = new Parser(source)
  const parts = parser.parts()
  parser.expectEnd()
  return parts.length === 0 ? '' : parts.length === 1 && typeof parts[0] === 'string' ? parts[0] : parts
}

class Parser {
  readonly #source: string
  #at = 0
  /** The argument that `#` stands for, inside a plural. */
  #counted: string | undefined

  constructor(source: string) {
    this.#source = source
  }

  parts(): Part[] {
    const parts: Part[] = []
    for (;;) {
      const text = this.#text()
      if (text !== '') parts.push(text)
      if (this.#take('#')) parts.push([1, this.#counted!])
      else if (this.#sees('{')) parts.push(this.#argument())
      else if (this.#take(/<(?=[a-z])/y)) parts.push(this.#tag())
      else return parts
    }
  }

  expectEnd(): void {
    if (this.#at < this.#source.length) this.#fail('unexpected text')
  }

  #text(): string {
    let text = ''
    for (;;) {
      const plain = this.#take(this.#counted === undefined ? /[^{}<']+/y : /[^{}<'#]+/y)
      if (plain) text += plain
      else if (this.#take("''")) text += "'"
      else if (this.#sees(/'[{}<#]/y)) text += this.#take(/'[^']*'/y)!.slice(1, -1)
      else if (this.#take("'")) text += "'"
      else return text
    }
  }

  #argument(): Part {
    this.#expect('{')
    const name = this.#name()
    if (this.#take('}')) return [0, name]
    this.#expect(',')
    const kind = this.#name()
    if (kind === 'number') return this.#end([1, name])
    if (kind !== 'plural' && kind !== 'select') this.#fail(`unknown kind ${kind}`)
    this.#expect(',')
    const outer = this.#counted
    if (kind === 'plural') this.#counted = name
    const part: Part = [kind === 'plural' ? 2 : 3, name, this.#choices()]
    this.#counted = outer
    return this.#end(part)
  }

  #choices(): Record<string, Part[]> {
    const choices: Record<string, Part[]> = {}
    while (!this.#sees('}')) {
      const key = this.#take(/\s*(=\d+|\w+)\s*/y)?.trim() ?? this.#fail('a choice is missing')
      this.#expect('{')
      choices[key] = this.parts()
      this.#expect('}')
      this.#take(/\s+/y)
    }
    if (!choices.other) this.#fail('“other” is missing')
    return choices
  }

  #tag(): Part {
    const name = this.#name()
    this.#expect('>')
    const inner = this.parts()
    this.#expect(`</${name}>`)
    return [4, name, inner]
  }

  #end(part: Part): Part {
    this.#expect('}')
    return part
  }

  #name(): string {
    return this.#take(/\s*\w+\s*/y)?.trim() ?? this.#fail('a name is missing')
  }

  #sees(what: string | RegExp): boolean {
    const at = this.#at
    const found = this.#take(what)
    this.#at = at
    return found !== undefined
  }

  #take(what: string | RegExp): string | undefined {
    if (typeof what === 'string') {
      if (!this.#source.startsWith(what, this.#at)) return undefined
      this.#at += what.length
      return what
    }
    what.lastIndex = this.#at
    const found = what.exec(this.#source)?.[0]
    this.#at += found?.length ?? 0
    return found
  }

  #expect(what: string): void {
    if (this.#take(what) === undefined) this.#fail(`“${what}” is missing`)
  }

  #fail(problem: string): never {
    throw new Error(`${problem} at character ${this.#at} of: ${this.#source}`)
  }
}

/** The values of a message by name: `number` for counts, `tag` for elements, otherwise `text`. */
export function valuesOf(message: Message): Map<string, 'text' | 'number' | 'tag'> {
  const values = new Map<string, 'text' | 'number' | 'tag'>()
  const visit = (parts: readonly Part[]): void => {
    for (const part of parts) {
      if (typeof part === 'string') continue
      const [kind, name, inner] = part
      values.set(name, kind === 4 ? 'tag' : kind === 1 || kind === 2 ? 'number' : 'text')
      if (kind === 4) visit(inner)
      if (kind === 2 || kind === 3) for (const choice of Object.values(inner)) visit(choice)
    }
  }
  if (typeof message !== 'string') visit(message)
  return values
}
