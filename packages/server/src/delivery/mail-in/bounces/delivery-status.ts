/** What a report about the delivery of an email says (RFC 3464). */
export interface DeliveryStatus {
  /** `failed`, `delayed`, … in lower case. */
  action: string
  /** Such as 5.1.1. */
  status: string
  /** What the mail server said. */
  detail: string
}

/** Reports quote the email that came back; what they say themselves stands before it. */
const longest = 256 * 1024
const part = /^content-type:\s*message\/(?:global-)?delivery-status/i

/** The first report about a recipient; undefined: the email is no such report. */
export function deliveryStatusIn(raw: Buffer): DeliveryStatus | undefined {
  const lines = raw.subarray(0, longest).toString('latin1').split(/\r?\n/)
  const start = lines.findIndex((line) => part.test(line))
  if (start < 0) return undefined
  const begin = lines.indexOf('', start)
  if (begin < 0) return undefined
  const rest = lines.slice(begin + 1)
  const end = rest.findIndex((line) => line.startsWith('--'))
  const fields = fieldsIn(end < 0 ? rest : rest.slice(0, end))
  const action = fields.get('action')?.toLowerCase()
  const status = /^[245]\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '')?.[0]
  if (action === undefined || status === undefined) return undefined
  return { action: action.slice(0, 20), status, detail: plain(fields.get('diagnostic-code') ?? '') }
}

/** Continued lines begin with a space. Of several recipients, the first counts: each of our emails has one. */
function fieldsIn(lines: string[]): Map<string, string> {
  const fields = new Map<string, string>()
  let last: string | undefined
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (/^[ \t]/.test(line) && last !== undefined) fields.set(last, `${fields.get(last)} ${line.trim()}`)
    else if (colon > 0) {
      last = line.slice(0, colon).trim().toLowerCase()
      if (fields.has(last)) last = undefined
      else fields.set(last, line.slice(colon + 1).trim())
    } else last = undefined
  }
  return fields
}

const longestDetail = 200

function plain(text: string): string {
  return text
    .slice(0, 2000)
    .replace(/^smtp;\s*/i, '')
    .replace(/[^\x20-\x7e]+/g, ' ')
    .slice(0, longestDetail)
    .trim()
}
