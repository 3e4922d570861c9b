import { imageType } from '../platform/images/detect-type.ts'

const longest = 200

/** The uploader's name for a file in a form that is safe in an address. */
export function sanitizedName(filename: string): string {
  const name = filename
    .normalize('NFKC')
    .trim()
    .replace(/[^\p{L}\p{N}_.\s-]/gu, '')
    .replace(/[-\s]+/g, '-')
  const end = [...name].slice(-longest).join('')
  return /[^.]/.test(end) ? end : 'uploaded-file'
}

export const fitsTypeDetection = 4096

/** What a file is, judged by how it begins; what its sender calls it decides only whether text is text. */
export function contentTypeOf(head: Buffer, said: string): string {
  const picture = imageType(head)
  if (picture) return `image/${picture}`
  const start = head.subarray(0, 32).toString('latin1')
  if (/^.{4}ftyp(isom|iso2|mp4|avc1|M4V|dash)/s.test(start)) return 'video/mp4'
  if (start.startsWith('\x1aE\xdf\xa3')) return 'video/webm'
  if (start.startsWith('ID3') || start.startsWith('\xff\xfb')) return 'audio/mpeg'
  if (said.startsWith('text/') && isText(head)) return 'text/plain; charset=utf-8'
  return 'application/octet-stream'
}

function isText(head: Buffer): boolean {
  if (head.includes(0)) return false
  // What was read may end in the middle of a character.
  const text = new TextDecoder('utf-8').decode(head)
  return !text.slice(0, -1).includes('\ufffd')
}

/** Everything that is not known to be harmless is saved, never shown. */
export function isShownInline(contentType: string): boolean {
  return contentType !== 'application/octet-stream'
}
