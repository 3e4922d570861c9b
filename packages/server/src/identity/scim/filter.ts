import { ScimError } from './scim-error.ts'

/** `attribute[filter].sub`, in lower case: names in SCIM have no case. */
export interface AttributePath {
  /** Empty for attributes of extensions, which we do not store. */
  attribute: string
  filter: Comparison[] | undefined
  sub: string | undefined
}

/** `path eq value` */
export interface Comparison {
  path: AttributePath
  value: string | number | boolean
}

const coreSchema = /^urn:ietf:params:scim:schemas:core:2\.0:(user|group):/i
const path = /^([A-Za-z][\w$-]*)(?:\[(.*)\])?(?:\.([A-Za-z$][\w$-]*))?$/s

export function parsePath(text: string): AttributePath {
  const own = text.trim().replace(coreSchema, '')
  if (/^urn:/i.test(own)) return { attribute: '', filter: undefined, sub: undefined }
  const [, attribute, filter, sub] = path.exec(own) ?? []
  if (attribute === undefined) throw new ScimError(`Invalid path: ${text}`, 'invalidPath')
  return {
    attribute: attribute.toLowerCase(),
    filter: filter === undefined ? undefined : parseFilter(filter),
    sub: sub?.toLowerCase(),
  }
}

const value = /"(?:[^"\\]|\\.)*"|true|false|-?\d+/.source
/** A path, whose brackets may contain quoted text, and then `eq` and a value. */
const comparison = new RegExp(
  String.raw`^\s*((?:[^\s"[\]]|\[(?:[^"\]]|"(?:[^"\\]|\\.)*")*\])+)(?:\s+eq\s+(${value}))?(?:(\s+and)(?=\s)|\s*$)`,
  'is',
)
const maxComparisons = 10

/** The comparisons that must all be true. Providers look resources up by a value; they need no other operators. */
export function parseFilter(text: string): Comparison[] {
  const found: Comparison[] = []
  for (let rest: string | undefined = text; rest !== undefined; ) {
    const [all, name, literal, and]: (string | undefined)[] = comparison.exec(rest) ?? []
    if (all === undefined || found.length === maxComparisons) throw unsupported(text)
    found.push(
      literal === undefined ? valueFilter(text, name!) : { path: parsePath(name!), value: parseValue(literal) },
    )
    rest = and && rest.slice(all.length)
  }
  return found
}

/** `members[value eq "2"]` means the same as `members.value eq "2"`. */
function valueFilter(text: string, name: string): Comparison {
  const { attribute, filter, sub } = parsePath(name)
  const [only, ...more] = filter ?? []
  if (!only || more.length > 0 || sub !== undefined) throw unsupported(text)
  return { path: { attribute, filter: undefined, sub: only.path.attribute }, value: only.value }
}

function parseValue(literal: string): Comparison['value'] {
  try {
    return JSON.parse(/^(true|false)$/i.test(literal) ? literal.toLowerCase() : literal)
  } catch {
    throw unsupported(literal)
  }
}

function unsupported(text: string): ScimError {
  return new ScimError(
    `This filter is not supported: ${text.slice(0, 200)}. Compare with eq, and join with and.`,
    'invalidFilter',
  )
}
