import type { Socket } from 'node:net'

/** Parsing this many bytes takes one to two milliseconds. */
const bytesPerTurn = 64 * 1024

/**
 * Yields to the event loop while a large result arrives. Otherwise Node reads up to 2 MB in one turn, and every other
 * request waits until their rows are parsed.
 */
export function readInTurns(stream: Socket): void {
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes < bytesPerTurn) return
    bytes = 0
    stream.pause()
    setImmediate(() => stream.resume())
  })
}
