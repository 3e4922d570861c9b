import type { Ids } from './ids.ts'

export interface TextParams {
  ids: Ids
  /** Of the organization, in the file and here. */
  realmIds: { from: number; to: number }
  isOwnHost(host: string): boolean
  /** The new names of users whose name changed by the import, by new id. */
  renamed: ReadonlyMap<number, string>
  /** Nothing has to be changed. */
  keepsIds: boolean
}

/** A text in which every id is the one that its thing has here: in mentions, links to conversations and uploads. */
export function withNewIds(text: string, params: TextParams): string {
  if (params.keepsIds || !mayHaveIds.test(text)) return text
  return text
    .replace(/(@_?\*\*)([^*|]{0,200})\|(\d{1,12})\*\*/g, (source, sign: string, name: string, id: string) => {
      const user = params.ids.find('user', Number(id))
      return user === undefined ? source : `${sign}${params.renamed.get(user) ?? name}|${user}**`
    })
    .replace(/(#\*\*[^*>]{1,200}>[^*@]{0,200}@)(\d{1,12})\*\*/g, (source, start: string, id: string) => {
      const message = params.ids.messages.find(Number(id))
      return message === undefined ? source : `${start}${message}**`
    })
    .replace(/#narrow\/([^\s)\]>"'*]{1,2000})/g, (source, path: string, at: number, whole: string) =>
      isOwn(whole, at, params) ? `#narrow/${narrowPath(path, params)}` : source,
    )
    .replace(
      /\/user_uploads\/(download\/)?(\d{1,12})\//g,
      (source, download: string | undefined, realm: string, at: number, whole: string) =>
        Number(realm) === params.realmIds.from && isOwn(whole, at, params)
          ? `/user_uploads/${download ?? ''}${params.realmIds.to}/`
          : source,
    )
}

const longestOrigin = 300

/** Matches every text with ids, and few others. */
const mayHaveIds = /\|\d+\*\*|@\d+\*\*|#narrow\/|user_uploads\//

/** Whether what stands there belongs to no URL, or to one of the organization, whose host is left as it is. */
function isOwn(text: string, at: number, { isOwnHost }: TextParams): boolean {
  const before = text.slice(Math.max(0, at - longestOrigin), at)
  const start = before.lastIndexOf('://')
  const host = start < 0 ? undefined : /^([^\s/()<>"'#?]{1,300})\/?$/.exec(before.slice(start + 3))?.[1]
  return host === undefined || isOwnHost(host.toLowerCase())
}

type Rewrite = (operand: string, params: TextParams) => string

const channel: Rewrite = (operand, { ids }) =>
  operand.replace(/^\d+/, (id) => String(ids.find('channel', Number(id)) ?? id))
const people: Rewrite = (operand, { ids }) =>
  operand.replace(/^[\d,]+/, (list) =>
    list
      .split(',')
      .map((id) => (id === '' ? id : String(ids.find('user', Number(id)) ?? id)))
      .join(),
  )
const message: Rewrite = (operand, { ids }) =>
  operand.replace(/^\d+/, (id) => String(ids.messages.find(Number(id)) ?? id))

const operands = new Map<string, Rewrite>([
  ...['channel', 'stream'].map((name) => [name, channel] as const),
  ...['dm', 'dm-including', 'pm-with', 'group-pm-with', 'sender', 'from', 'mentions'].map(
    (name) => [name, people] as const,
  ),
  ...['near', 'with', 'id'].map((name) => [name, message] as const),
])

/** `channel/12-verona/topic/x/near/34`: operators and operands alternate. */
function narrowPath(path: string, params: TextParams): string {
  const parts = path.split('/')
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const rewrite = operands.get(parts[index]!.replace(/^-/, ''))
    if (rewrite) parts[index + 1] = rewrite(parts[index + 1]!, params)
  }
  return parts.join('/')
}
