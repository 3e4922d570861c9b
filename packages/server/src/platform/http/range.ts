/** Bytes from `start` to `end`, both included. */
export interface Range {
  start: number
  end: number
}

/** The part that a Range header asks for. Undefined: all of it; null: a part that there is not. */
export function rangeOf(header: string | undefined, size: number): Range | undefined | null {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  // Whoever asks for several parts, or in a way we do not know, may be given everything.
  if (first === undefined || last === undefined || first + last === '') return undefined
  if (first === '') return fitting(Math.max(0, size - Number(last)), size - 1, size)
  if (last !== '' && Number(last) < Number(first)) return undefined
  return fitting(Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1), size)
}

function fitting(start: number, end: number, size: number): Range | null {
  return start < size ? { start, end } : null
}
