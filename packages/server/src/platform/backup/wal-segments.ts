/** PostgreSQL's default, which its packages and managed services use. */
export const segmentSize = 16 * 1024 * 1024
const segmentsPerFile = 0x100000000 / segmentSize

/** `16/B374D848` as a number of bytes. */
export function lsnOf(text: string): bigint {
  const [high, low] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}

export function lsnText(lsn: bigint): string {
  return `${(lsn >> 32n).toString(16).toUpperCase()}/${(lsn & 0xffffffffn).toString(16).toUpperCase()}`
}

/** The name of the file that contains the byte. */
export function segmentName(timeline: number, lsn: bigint): string {
  const number = lsn / BigInt(segmentSize)
  const parts = [BigInt(timeline), number / BigInt(segmentsPerFile), number % BigInt(segmentsPerFile)]
  return parts.map((part) => part.toString(16).toUpperCase().padStart(8, '0')).join('')
}

/** The first byte after a segment. */
export function segmentEnd(name: string): bigint {
  const [high, low] = [name.slice(8, 16), name.slice(16, 24)].map((part) => BigInt(`0x${part}`)) as [bigint, bigint]
  return (high * BigInt(segmentsPerFile) + low + 1n) * BigInt(segmentSize)
}

export const isSegment = (name: string) => /^[0-9A-F]{24}$/.test(name)
