/** Bytes from `start` to `end`, inclusive. */
export interface Range {
  start: number
  end: number
}

/** The part that a Range header requests. Undefined: the whole file; null: not satisfiable. */
export function rangeOf(header: string | undefined, size: number): Range | undefined | null {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  // For several ranges or unknown syntax, the RFC allows sending the whole file.
  if (first === undefined || last === undefined || first + last === '') return undefined
  if (first === '') return fitting(Math.max(0, size - Number(last)), size - 1, size)
  if (last !== '' && Number(last) < Number(first)) return undefined
  return fitting(Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1), size)
}

function fitting(start: number, end: number, size: number): Range | null {
  return start < size ? { start, end } : null
}
