import type { Readable } from 'node:stream'
import { BadArchive } from '../../platform/archives/foreign-archive.ts'
import type { Row } from './rows/row-values.ts'

const longestRow = 64 * 1024 * 1024
const deepest = 100
const [quote, backslash] = [0x22, 0x5c]
const [brace, bracket, endBrace, endBracket] = [0x7b, 0x5b, 0x7d, 0x5d]

/**
 * The rows of `{"table": [{…}, …], …}`, one at a time: the file may be larger than memory. What is not an object in a list is
 * skipped.
 */
export async function* jsonRows(content: Readable, name: string): AsyncGenerator<{ table: string; row: Row }> {
  const reader = new RowReader(name, 3)
  for await (const chunk of content as AsyncIterable<Buffer>) yield* reader.read(chunk)
  reader.end()
}

/** The same for `[{…}, …]`. */
export async function* jsonList(content: Readable, name: string): AsyncGenerator<Row> {
  const reader = new RowReader(name, 2)
  for await (const chunk of content as AsyncIterable<Buffer>) for (const { row } of reader.read(chunk)) yield row
  reader.end()
}

class RowReader {
  readonly #name: string
  /** How deep rows are. */
  readonly #level: number
  #depth = 0
  #isInText = false
  #isEscaped = false
  #parts: Buffer[] = []
  #length = 0
  /** Where the text or row began in the present chunk; -1 outside of both. */
  #start = -1
  #table = ''

  constructor(name: string, level: number) {
    this.#name = name
    this.#level = level
  }

  *read(chunk: Buffer): Generator<{ table: string; row: Row }> {
    if (this.#start >= 0) this.#start = 0
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index]!
      if (this.#isInText) this.#readText(byte, chunk, index)
      else if (byte === quote) {
        this.#isInText = true
        if (this.#isKey()) this.#start = index
      } else if (byte === brace || byte === bracket) this.#open(byte, index)
      else if ((byte === endBrace || byte === endBracket) && this.#depth-- === this.#level && this.#start >= 0)
        yield { table: this.#table, row: this.#parsed(this.#taken(chunk, index + 1)) as Row }
    }
    if (this.#start >= 0) this.#keep(chunk.subarray(this.#start))
  }

  end(): void {
    if (this.#depth !== 0 || this.#isInText) throw new BadArchive(`${this.#name} is cut off.`)
  }

  #readText(byte: number, chunk: Buffer, index: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === backslash) this.#isEscaped = true
    else if (byte === quote) {
      this.#isInText = false
      if (this.#isKey()) this.#table = String(this.#parsed(this.#taken(chunk, index + 1)))
    }
  }

  #isKey(): boolean {
    return this.#depth === 1 && this.#level === 3
  }

  #open(byte: number, index: number): void {
    if (++this.#depth > deepest) throw new BadArchive(`${this.#name} is nested too deeply.`)
    if (this.#depth === this.#level && byte === brace) this.#start = index
  }

  #keep(part: Buffer): void {
    this.#length += part.length
    if (this.#length > longestRow) throw new BadArchive(`${this.#name} has a row of more than ${longestRow} bytes.`)
    this.#parts.push(Buffer.from(part))
  }

  #taken(chunk: Buffer, end: number): string {
    this.#keep(chunk.subarray(this.#start, end))
    const text = Buffer.concat(this.#parts).toString()
    this.#parts = []
    this.#length = 0
    this.#start = -1
    return text
  }

  #parsed(text: string): unknown {
    try {
      return JSON.parse(text)
    } catch {
      throw new BadArchive(`${this.#name} is damaged.`)
    }
  }
}
