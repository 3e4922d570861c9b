import { imageType } from '../../platform/images/detect-type.ts'

const maxLength = 200

/** The file name of a form: clients percent-encode what a header cannot contain, and browsers quotes and line breaks. */
export function decodedName(filename: string): string {
  const name = filename.replace(/(?:%[\da-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString(),
  )
  return name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
}

/** The uploader's file name, made safe for a URL. */
export function sanitizedName(filename: string): string {
  const name = filename
    .normalize('NFKC')
    .trim()
    .replace(/[^\p{L}\p{N}_.\s-]/gu, '')
    .replace(/[-\s]+/g, '-')
  const end = [...name].slice(-maxLength).join('')
  return /[^.]/.test(end) ? end : 'uploaded-file'
}

export const fitsTypeDetection = 4096

/** Detects the content type from the first bytes. The declared type matters only for text. */
export function contentTypeOf(head: Buffer, declaredType: string): string {
  const image = imageType(head)
  if (image) return `image/${image}`
  const start = head.subarray(0, 32).toString('latin1')
  if (/^.{4}ftyp(isom|iso2|mp4|avc1|M4V|dash)/s.test(start)) return 'video/mp4'
  if (start.startsWith('\x1aE\xdf\xa3')) return 'video/webm'
  if (start.startsWith('ID3') || start.startsWith('\xff\xfb')) return 'audio/mpeg'
  if (declaredType.startsWith('text/') && isText(head)) return 'text/plain; charset=utf-8'
  return 'application/octet-stream'
}

function isText(head: Buffer): boolean {
  if (head.includes(0)) return false
  // The bytes may end in the middle of a character.
  const text = new TextDecoder('utf-8').decode(head)
  return !text.slice(0, -1).includes('\ufffd')
}

/** Browsers show only types that are known to be harmless; other files are downloaded. */
export function isShownInline(contentType: string): boolean {
  return contentType !== 'application/octet-stream'
}
