import type { FileHandle } from 'node:fs/promises'
import { openTemporary } from '../../../platform/files/temporary.ts'
import type { ImportedMessage } from './records.ts'

const runBytes = 16 * 1024 * 1024
const pieceBytes = 64 * 1024

interface Entry {
  at: number
  line: string
}

interface Head extends Entry {
  message: ImportedMessage
}

/**
 * Sorts messages by time on disk, in an unnamed temporary file. Messages of the same millisecond are in an order that depends
 * only on them, so that a second pass, or a second run, sees the same order.
 */
export class SortedMessages {
  readonly #handle: FileHandle
  readonly #runs: { start: number; end: number }[] = []
  #pending: Entry[] = []
  #bytes = 0
  #end = 0
  count = 0

  private constructor(handle: FileHandle) {
    this.#handle = handle
  }

  static async create(folder: string): Promise<SortedMessages> {
    return new SortedMessages(await openTemporary(folder))
  }

  /** Call `settle` now and then, which writes. */
  add(message: ImportedMessage): void {
    const line = JSON.stringify(message)
    this.#pending.push({ at: message.at, line })
    this.#bytes += line.length
    this.count++
  }

  async settle(isEnd = false): Promise<void> {
    if (this.#pending.length === 0 || (!isEnd && this.#bytes < runBytes)) return
    const lines = this.#pending.sort(inOrder).map(({ line }) => `${line}\n`)
    const start = this.#end
    for (let first = 0; first < lines.length; first += 1000) {
      const bytes = Buffer.from(lines.slice(first, first + 1000).join(''))
      await this.#handle.write(bytes, 0, bytes.length, this.#end)
      this.#end += bytes.length
    }
    this.#runs.push({ start, end: this.#end })
    this.#pending = []
    this.#bytes = 0
  }

  /** All messages in order; can be read again. */
  async *read(): AsyncGenerator<ImportedMessage> {
    await this.settle(true)
    const readers = this.#runs.map((run) => new RunReader(this.#handle, run))
    for (const reader of readers) await reader.next()
    const heads = readers.sort((a, b) => inOrder(a.head!, b.head!))
    while (heads.length > 0) {
      const reader = heads.shift()!
      yield reader.head!.message
      if (await reader.next()) heads.splice(insertionIndex(reader.head!, heads), 0, reader)
    }
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}

function inOrder(a: Entry, b: Entry): number {
  return a.at - b.at || (a.line < b.line ? -1 : 1)
}

function headOf(line: string): Head {
  const message = JSON.parse(line) as ImportedMessage
  return { at: message.at, line, message }
}

/** Where an entry belongs among sorted readers. */
function insertionIndex(entry: Entry, heads: RunReader[]): number {
  let [low, high] = [0, heads.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (inOrder(heads[middle]!.head!, entry) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** Reads one sorted part of the file. */
class RunReader {
  readonly #handle: FileHandle
  readonly #end: number
  #at: number
  #rest = Buffer.alloc(0)
  #lines: string[] = []
  head: Head | undefined

  constructor(handle: FileHandle, { start, end }: { start: number; end: number }) {
    this.#handle = handle
    this.#at = start
    this.#end = end
  }

  async next(): Promise<boolean> {
    while (this.#lines.length === 0 && this.#at < this.#end) await this.#readMore()
    const line = this.#lines.pop()
    this.head = line === undefined ? undefined : headOf(line)
    return this.head !== undefined
  }

  async #readMore(): Promise<void> {
    const length = Math.min(pieceBytes, this.#end - this.#at)
    const { buffer } = await this.#handle.read(Buffer.alloc(length), 0, length, this.#at)
    this.#at += length
    const bytes = Buffer.concat([this.#rest, buffer])
    const last = bytes.lastIndexOf(0x0a) + 1
    this.#rest = bytes.subarray(last)
    this.#lines = bytes.toString('utf8', 0, last).split('\n').slice(0, -1).reverse()
  }
}
