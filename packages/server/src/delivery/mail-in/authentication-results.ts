/**
 * Whether a mail server has confirmed that the email comes from the domain of its author (RFC 8601): by DMARC, or by a DKIM
 * signature of that domain. `headers` are the values of all `Authentication-Results`, the topmost first. Only the topmost of
 * our own mail server counts: it removes those that come from outside, and puts its own above.
 */
export function isAuthentic(headers: string[], authority: string, fromDomain: string): boolean {
  const own = headers.map(withoutComments).find((value) => authorityOf(value) === authority)
  return own !== undefined && resultsIn(own).some((result) => confirms(result, fromDomain))
}

function authorityOf(value: string): string {
  return value.split(';', 1)[0]!.trim().split(/\s/, 1)[0]!.toLowerCase()
}

/** `method=result`, then properties like `header.d=example.com`. */
type Result = Map<string, string>

function resultsIn(value: string): Result[] {
  return value.split(';').slice(1, 51).map(resultOf)
}

function resultOf(text: string): Result {
  const pairs = text
    .trim()
    .toLowerCase()
    .split(/\s+/, 50)
    .map((pair) => pair.split('=', 2))
  return new Map(pairs.map(([name, value = '']) => [name!, value]))
}

function confirms(result: Result, fromDomain: string): boolean {
  if (result.get('dmarc') === 'pass') return domainIn(result.get('header.from') ?? fromDomain) === fromDomain
  const signer = domainIn(result.get('header.d') ?? result.get('header.i') ?? '')
  return result.get('dkim') === 'pass' && isWithin(fromDomain, signer)
}

function domainIn(value: string): string {
  return value.slice(value.lastIndexOf('@') + 1)
}

/** Whether the domain is the other one, or within it. */
function isWithin(domain: string, other: string): boolean {
  return other.includes('.') && (domain === other || domain.endsWith(`.${other}`))
}

/**
 * Comments are in parentheses, which can be nested. Text in quotes may come from outside, so nothing in it separates results.
 */
function withoutComments(value: string): string {
  let depth = 0
  let isQuoted = false
  let kept = ''
  for (const character of value) {
    if (character === '"' && depth === 0) isQuoted = !isQuoted
    else if (isQuoted) kept += /[\w.@-]/.test(character) ? character : '_'
    else if (character === '(') depth++
    else if (character === ')' && depth > 0) depth--
    else if (depth === 0) kept += character
  }
  return kept
}
