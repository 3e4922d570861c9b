/** Encodes one part of a `#narrow` address: percent-encoding with dots for percent signs. */
export function encodeHashComponent(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('.', '%2E')
    .replaceAll('%', '.')
}

/** How an address names a channel: its ID, then its name for the reader. */
export function channelSlug(id: number, name: string): string {
  return encodeHashComponent(`${id}-${name.replaceAll(' ', '-')}`)
}

/** How an address names a direct conversation. */
export function directSlug(userIds: readonly number[]): string {
  const ids = [...userIds].sort((a, b) => a - b).join(',')
  return userIds.length > 2 ? `${ids}-group` : ids
}

/** The address of a channel, relative to the realm. */
export function channelUrl(id: number, name: string): string {
  return `/#narrow/channel/${channelSlug(id, name)}`
}

/** The address of a topic, relative to the realm; with a message of it, the link survives renaming. */
export function topicUrl(channelId: number, channel: string, topic: string, withMessage?: number): string {
  const url = `${channelUrl(channelId, channel)}/topic/${encodeHashComponent(topic)}`
  return withMessage === undefined ? url : `${url}/with/${withMessage}`
}

/** The address of a message in a channel, relative to the realm. */
export function messageUrl(channelId: number, channel: string, topic: string, messageId: number | string): string {
  return `${topicUrl(channelId, channel, topic)}/near/${messageId}`
}
