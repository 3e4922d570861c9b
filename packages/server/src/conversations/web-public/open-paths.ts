import type { OpenChannel } from './queries.ts'

/** The list of open channels. */
export const openPath = '/open'

export function channelPath({ id, name }: Pick<OpenChannel, 'id' | 'name'>): string {
  return `${openPath}/${withName(id, name)}`
}

export function topicPath(channel: OpenChannel, { id, name }: { id: number; name: string }): string {
  return `${channelPath(channel)}/${withName(id, name)}`
}

/** Only the id counts, so that links survive renaming. */
function withName(id: number, name: string): string {
  const words = name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const slug = words.join('-').slice(0, 60)
  return slug === '' ? String(id) : `${id}-${encodeURIComponent(slug.toWellFormed())}`
}

/** The id at the beginning of a part of a path; 0, which nothing has, if there is none. */
export function idIn(part: string | undefined): number {
  return Number(/^(\d{1,15})(?:-|$)/.exec(part ?? '')?.[1] ?? 0)
}
