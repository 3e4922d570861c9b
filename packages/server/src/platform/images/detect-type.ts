/** Pictures we take apart. Everything else, SVG above all, is never given to a decoder. */
export type ImageType = 'png' | 'gif' | 'jpeg' | 'webp' | 'avif'

const enough = 64

/** What kind of picture the bytes begin like; what the sender calls it does not count. */
export function imageType(bytes: Buffer): ImageType | undefined {
  const head = bytes.subarray(0, enough).toString('latin1')
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (/^GIF8[79]a/.test(head)) return 'gif'
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (/^RIFF.{4}WEBP/s.test(head)) return 'webp'
  if (/^.{4}ftyp(avif|avis)/s.test(head)) return 'avif'
  return undefined
}
