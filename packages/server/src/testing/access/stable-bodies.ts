import pg, { type Pool } from 'pg'

type Values = Record<string, unknown>

/** Ids of one kind are in one range; those in its upper half do not exist. */
const span = 10_000_000
/** Message ids have shorter ranges, because an export refuses realms with many messages. */
const messageSpan = 10_000
const firstOfMessages = 110_000
const lastOfMessages = 199_999

const isMessage = (value: number) => value >= firstOfMessages && value <= lastOfMessages
const isId = (value: number) => isMessage(value) || (value >= span && value < 100 * span)
const spanOf = (value: number) => (isMessage(value) ? messageSpan : span)
const absentId = (value: number) => (isId(value) ? value + spanOf(value) / 2 : value)

/** The kind of ids in each range, by the number of the range; messages are not included. */
const kinds = new Map<number, string>()

/**
 * Gives every kind of id its own range, so that a number in a body shows what it identifies. Applies to rows that are
 * created from now on.
 */
export async function spreadIds(ownerUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, sequencename) as name from pg_sequences
      where schemaname in ('public', 'jobs') order by 1`,
  )
  for (const [index, { name }] of rows.entries()) {
    kinds.set(index + 1, name.replace(/^\w+\.|_id_seq1?$/g, ''))
    await client.query('select setval($1::regclass, $2::bigint)', [name, (index + 1) * span])
  }
  await client.end()
}

let realms = 0
/** Message ids are counted per realm; each realm gets its own range. */
export async function spreadMessageIds(pool: Pool, realmId: number): Promise<void> {
  const first = firstOfMessages + messageSpan * realms++
  await pool.query('update realm_counters set last_message = $1 where realm_id = $2', [first, realmId])
}

/**
 * The same request about objects that do not exist. Strings are replaced in the path, and where they are in `names`.
 */
export function aboutNothing(values: Values, names: ReadonlySet<string>, hidden?: string): Values {
  const { path, ...params } = values
  const isHidden = (key: string) => hidden === undefined || key === hidden
  const replaced = (from: Values, isName: (text: string) => boolean) =>
    Object.fromEntries(Object.entries(from).map(([key, one]) => [key, isHidden(key) ? absent(one, isName) : one]))
  return {
    ...(path !== undefined && { path: replaced(path as Values, () => true) }),
    ...replaced(params, (text) => names.has(text)),
  }
}

function absent(value: unknown, isName: (text: string) => boolean): unknown {
  if (typeof value === 'number') return absentId(value)
  if (typeof value === 'string') return isName(value) ? absentName(value) : value.replace(uuid, absentUuid)
  if (Array.isArray(value)) return value.map((one) => absent(one, isName))
  if (value === null || typeof value !== 'object' || Buffer.isBuffer(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, absent(one, isName)]))
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const absentUuid = (text: string) => `00000000${text.slice(8)}`

/** Numbers in a string (the path of a file) are ids too. */
function absentName(text: string): string {
  const numbered = text.replace(/\d{8,}/g, (digits) => String(absentId(Number(digits))))
  return numbered === text ? `absent.${text}` : numbered
}

/**
 * Replaces ids by names, so that bodies for different callers can be compared byte by byte. Known ids get their own
 * name, ids of other objects the name of their kind, and values that differ in every response (times, random tokens) a
 * fixed word.
 */
export function stableBody(body: unknown, known: ReadonlyMap<string, string>): string {
  let text = JSON.stringify(body).replaceAll('absent.', '')
  for (const [word, name] of known) if (!/^\d+$/.test(word)) text = text.replaceAll(word, `{${name}}`)
  return text
    .replace(uuid, '{uuid}')
    .replace(/parley_[A-Za-z0-9_-]{43}/g, '{random}')
    .replace(/whsec_[A-Za-z0-9+/]+=*/g, '{random}')
    .replace(/\/[0-9a-f]{2}\/[A-Za-z0-9_-]{24}(?=\/)/g, '/{random}') // the path of a file, which may have no digit
    .replace(/(?<==)[A-Za-z0-9_-]{100,}/g, '{random}') // a sealed token in a URL
    .replace(/(?<![A-Za-z0-9_-])([A-Za-z0-9]{32}|[A-Za-z0-9_-]{43})(?![A-Za-z0-9_-])/g, '{random}')
    .replace(/(?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{22,64}(?![A-Za-z0-9_-])/g, '{random}')
    .replace(/\/[0-9a-f]{2}\/\{random\}/g, '/{random}')
    .replace(/\bname\d+\b/gi, '{fresh name}')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)/g, '{time}')
    .replace(/\d{6,16}(\.\d+)?/g, (digits) => idName(Number(digits), known) ?? digits)
}

function idName(number: number, known: ReadonlyMap<string, string>): string | undefined {
  if (number > 1_600_000_000) return '{time}'
  if (!isId(number)) return undefined
  const size = spanOf(number)
  const real = number % size >= size / 2 ? number - size / 2 : number
  return `{${known.get(String(real)) ?? (isMessage(real) ? 'message' : kinds.get(Math.floor(real / span)))}}`
}
