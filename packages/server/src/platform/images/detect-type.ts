/** Image types that we decode. Everything else, SVG above all, is never passed to a decoder. */
export type ImageType = 'png' | 'gif' | 'jpeg' | 'webp' | 'avif'

const enough = 64

/** The image type according to the first bytes; the type that the sender declares is ignored. */
export function imageType(bytes: Buffer): ImageType | undefined {
  const head = bytes.subarray(0, enough).toString('latin1')
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (/^GIF8[79]a/.test(head)) return 'gif'
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (/^RIFF.{4}WEBP/s.test(head)) return 'webp'
  if (/^.{4}ftyp(avif|avis)/s.test(head)) return 'avif'
  return undefined
}
