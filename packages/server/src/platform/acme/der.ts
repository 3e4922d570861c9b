/** As much of DER as a certificate request needs. */

function encode(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag, ...lengthOf(body.length)]), body])
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length]
  const bytes = length > 0xff ? [length >> 8, length & 0xff] : [length]
  return [0x80 | bytes.length, ...bytes]
}

export const sequence = (...parts: Buffer[]) => encode(0x30, ...parts)
export const set = (...parts: Buffer[]) => encode(0x31, ...parts)
export const octets = (bytes: Buffer) => encode(0x04, bytes)
export const bits = (bytes: Buffer) => encode(0x03, Buffer.from([0]), bytes)
export const text = (value: string) => encode(0x0c, Buffer.from(value))
export const yes = encode(0x01, Buffer.from([0xff]))
/** A part with a number that says which one it is. */
export const tagged = (number: number, ...parts: Buffer[]) => encode(0xa0 | number, ...parts)
export const dnsName = (name: string) => encode(0x82, Buffer.from(name, 'ascii'))

/** A positive number. Without the zero, a first bit that is set would make it negative. */
export function integer(bytes: Buffer): Buffer {
  return encode(0x02, bytes[0]! & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes)
}

export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/\D/g, '').slice(2, 14)
  return encode(0x17, Buffer.from(`${digits}Z`))
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return encode(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f]
  for (let left = value >> 7; left > 0; left >>= 7) bytes.unshift(0x80 | (left & 0x7f))
  return bytes
}
