import type { ReceivedMail } from './mail-receiver.ts'

export interface ReadEmail {
  to: string
  subject: string
  /** By name in lower case. */
  headers: Map<string, string>
  text: string
  html: string
}

/** Takes an email apart as an email program does. */
export function readEmail({ to, source }: ReceivedMail): ReadEmail {
  const { headers, body } = splitPart(source)
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type')!)![1]!
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => splitPart(part.replace(/^\n/, '')))
  const find = (type: string) => decoded(parts.find((part) => part.headers.get('content-type')?.startsWith(type))!)
  const address = /<([^>]*)>/.exec(to)![1]!
  return {
    to: address,
    subject: decodeWords(headers.get('subject')!),
    headers,
    text: find('text/plain'),
    html: find('text/html'),
  }
}

interface MailPart {
  headers: Map<string, string>
  body: string
}

function splitPart(source: string): MailPart {
  const end = source.indexOf('\n\n')
  const lines = source
    .slice(0, end)
    .replace(/\n[ \t]+/g, ' ')
    .split('\n')
  const pairs = lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)])
  return { headers: new Map(pairs as [string, string][]), body: source.slice(end + 2) }
}

function decoded({ headers, body }: MailPart): string {
  const encoding = headers.get('content-transfer-encoding')
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  return encoding === 'quoted-printable' ? decodeQuoted(body.replace(/=\n/g, '')) : body
}

function decodeQuoted(text: string): string {
  return Buffer.from(
    text
      .replace(/[^\0-\xff]/g, '?')
      .replace(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString()
}

/** RFC 2047. */
function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?(.*?)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b' ? Buffer.from(word, 'base64').toString() : decodeQuoted(word.replaceAll('_', ' ')),
    )
}
