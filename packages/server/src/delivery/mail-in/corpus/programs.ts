import { replyMarker } from '../text/quote-words.ts'
import type { Language } from './mail-languages.ts'

const address = 'r.ae3qkbqdaukqoqyd5sq2vxlrh6m7d2g4c7q@chat.example.com'
const who = `"Ben (Example)" <${address}>`
const link = 'https://chat.example.com/#narrow/channel/5-verona/topic/lunch/near/77'
const stop = `https://chat.example.com/unsubscribe/${'aB3_'.repeat(24)}`

/** What we have sent, as text. */
export const ours = `${replyMarker}

Ben:

  Can you bring the papers?

Open the conversation: ${link}

--
You got this email from Example because you were mentioned.

Change your notification settings: https://chat.example.com/#settings/notifications

Turn off these emails: ${stop}`

const oursHtml = `<p class="marker">${replyMarker}</p><div class="sheet"><h1>#verona &gt; lunch</h1><p><strong>Ben</strong></p><div class="message"><p>Can you bring the papers?</p></div><p><a href="${link}">Open the conversation</a></p></div><div class="footer"><p><a href="${stop}">Turn off these emails</a></p></div>`

export function quoted(text: string, mark = '> '): string {
  return text
    .split('\n')
    .map((line) => (mark + line).trimEnd())
    .join('\n')
}

export function named(line: string): string {
  return line.replace('WHO', () => who)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function paragraphs(text: string, open = '<div>', close = '</div>', empty = '<div><br></div>'): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? empty : open + escaped(line) + close))
    .join('\n')
}

interface Body {
  type?: string
  encoding?: 'quoted-printable' | 'base64' | '8bit'
  text: string
}

/** A whole email with one body, or with the same as text and as HTML. */
export function email(...bodies: Body[]): string {
  const head = 'From: Ann <ann@example.com>\r\nSubject: Re: #verona > lunch\r\nMIME-Version: 1.0\r\n'
  const parts = bodies.map(partOf)
  if (parts.length === 1) return head + parts[0]
  const inside = parts.map((part) => `--=_b\r\n${part}\r\n`).join('')
  return `${head}Content-Type: multipart/alternative; boundary="=_b"\r\n\r\n${inside}--=_b--\r\n`
}

function partOf({ type = 'text/plain; charset=utf-8', encoding = 'quoted-printable', text }: Body): string {
  const bytes = Buffer.from(text.replaceAll('\n', '\r\n'))
  return `Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${encodings[encoding](bytes)}`
}

const encodings = {
  '8bit': (bytes: Buffer) => bytes.toString(),
  base64: (bytes: Buffer) => bytes.toString('base64').replace(/.{76}/g, '$&\r\n'),
  'quoted-printable': (bytes: Buffer) =>
    bytes
      .toString('latin1')
      .replace(
        /[^\r\n\x20-\x3c\x3e-\x7e]| (?=\r\n)/g,
        (one) => `=${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
      )
      .replace(/[^\r\n]{68}[^=\r\n]{2}(?=[^\r\n]{4})/g, '$&=\r\n'),
}

const html = 'text/html; charset=utf-8'

/** Breaks a line where Gmail does. */
function broken(line: string): string {
  const place = line.slice(0, 76).lastIndexOf(' ')
  return line.length <= 76 ? line : `${line.slice(0, place)}\n${line.slice(place + 1)}`
}

function outlookHead([from, sent, to, subject]: Language['labels'], mark = ''): string {
  return [
    `${mark}${from}:${mark} Example <${address}>`,
    `${mark}${sent}:${mark} 3. 11. 2026 10:00`,
    `${mark}${to}:${mark} Ann <ann@example.com>`,
    `${mark}${subject}:${mark} #verona > lunch`,
  ].join('\n')
}

function fieldsOf(labels: Language['labels']): string {
  const lines = outlookHead(labels)
    .split('\n')
    .map((line) => line.split(': '))
  return lines.map(([name, value]) => `<b>${name}:</b> ${escaped(value!)}`).join('<br>')
}

/** How programs form a reply. */
export const programs: Record<string, (language: Language) => string> = {
  Gmail: ({ own, gmail }) =>
    email(
      { text: `${own}\n\n${broken(named(gmail))}\n\n${quoted(ours)}\n` },
      {
        type: html,
        text: `<div dir="ltr">${paragraphs(own)}</div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">${escaped(named(gmail))}<br></div><blockquote class="gmail_quote">${oursHtml}</blockquote></div>`,
      },
    ),
  'Gmail, HTML only': ({ own, gmail }) =>
    email({
      type: html,
      encoding: 'base64',
      text: `<div dir="auto">${paragraphs(own)}</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">${escaped(named(gmail))}<br></div><blockquote class="gmail_quote" style="margin:0">${oursHtml}</blockquote></div>`,
    }),
  'Apple Mail': ({ own, apple }) => email({ text: `${own}\n\n\n${quoted(`${named(apple)}\n\n${ours}`)}\n` }),
  iPhone: ({ own, apple, phone }) =>
    email(
      { text: `${own}\n\n${phone}\n\n${quoted(`${named(apple)}\n\n${ours}`)}\n`, encoding: 'base64' },
      {
        type: html,
        text: `<html><body dir="auto">${paragraphs(own)}<div dir="ltr">${phone}</div><div dir="ltr"><br><blockquote type="cite">${escaped(named(apple))}<br><br></blockquote></div><blockquote type="cite"><div dir="ltr">${oursHtml}</div></blockquote></body></html>`,
      },
    ),
  Thunderbird: ({ own, thunderbird }) =>
    email({
      type: 'text/plain; charset=UTF-8; format=flowed',
      encoding: '8bit',
      text: `${own}\n\n${named(thunderbird)}\n${quoted(ours)}\n`,
    }),
  'Outlook for Windows': ({ own, labels }) =>
    email(
      { text: `${own}\n\n\n${outlookHead(labels)}\n\n${ours}\n`, encoding: 'base64' },
      {
        type: html,
        text: `<div class="WordSection1">${paragraphs(own, '<p class="MsoNormal">', '<o:p></o:p></p>', '<p class="MsoNormal"><o:p>&nbsp;</o:p></p>')}</div>`,
      },
    ),
  'Outlook, HTML only': ({ own, labels }) =>
    email({
      type: html,
      text: `<html><head><style>p.MsoNormal{margin:0}</style></head><body><div class="WordSection1">${paragraphs(own, '<p class="MsoNormal">', '<o:p></o:p></p>', '')}<p class="MsoNormal"><o:p>&nbsp;</o:p></p><div style="border:none;border-top:solid #E1E1E1 1.0pt"><p class="MsoNormal">${fieldsOf(labels)}<o:p></o:p></p></div>${oursHtml}</div></body></html>`,
    }),
  'Outlook on the web': ({ own, labels }) =>
    email(
      { text: `${own}\n________________________________\n${outlookHead(labels)}\n\n${ours}\n` },
      {
        type: html,
        text: `${paragraphs(own)}<div id="appendonsend"></div><hr style="width:98%"><div id="divRplyFwdMsg" dir="ltr">${escaped(outlookHead(labels)).replaceAll('\n', '<br>')}</div>${oursHtml}`,
      },
    ),
  'Outlook for iOS': ({ own, labels, outlookMobile }) =>
    email({
      text: `${own}\n\n${outlookMobile}\n________________________________\n${outlookHead(labels)}\n\n${ours}\n`,
    }),
  'Outlook, as it was': ({ own, labels, original }) =>
    email({ text: `${own}\n\n-----${original}-----\n${outlookHead(labels, '*')}\n\n${ours}\n`, encoding: 'base64' }),
  'Proton Mail': ({ own, thunderbird }) =>
    email({
      type: html,
      text: `<div style="font-family: Arial;">${paragraphs(own)}</div><div class="protonmail_signature_block"><div class="protonmail_signature_block-proton">Sent with <a href="https://proton.me/">Proton Mail</a> secure email.</div></div><div class="protonmail_quote">${escaped(named(thunderbird))}<br><blockquote class="protonmail_quote" type="cite">${oursHtml}</blockquote></div>`,
    }),
  Samsung: ({ own, labels, original }) =>
    email({ text: `${own}\n\n\n-------- ${original} --------\n${outlookHead(labels)}\n\n${ours}\n` }),
  'Yahoo Mail': ({ own, gmail }) =>
    email(
      { text: ` ${own.replaceAll('\n', '\n ')}\n\n    ${named(gmail)}  \n \n ${ours}\n  ` },
      {
        type: html,
        text: `<div>${paragraphs(own)}</div><div id="ydp1yahoo_quoted_1" class="yahoo_quoted"><div>${escaped(named(gmail))}</div>${oursHtml}</div>`,
      },
    ),
}
