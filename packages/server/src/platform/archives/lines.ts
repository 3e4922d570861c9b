import type { Readable } from 'node:stream'

export interface Line {
  number: number
  /** Undefined if it is longer than the maximum. */
  text: string | undefined
}

const newline = 0x0a
/** In bytes. A line can be a whole thread, which is why this is much. */
export const longestLine = 64 * 1024 * 1024

/** The lines of a file. Only `\n` ends one: strings contain other signs that Unicode counts as line ends. */
export async function* linesOf(content: Readable, longest = longestLine): AsyncGenerator<Line> {
  let [parts, length, number] = [[] as Buffer[], 0, 1]
  const line = () => {
    const text = length > longest ? undefined : Buffer.concat(parts).toString()
    ;[parts, length] = [[], 0]
    return { number: number++, text }
  }
  const add = (part: Buffer) => {
    length += part.length
    if (length <= longest) parts.push(part)
    else parts = []
  }
  for await (const chunk of content as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      add(chunk.subarray(start, end))
      start = end + 1
      yield line()
    }
    add(chunk.subarray(start))
  }
  if (length > 0) yield line()
}
