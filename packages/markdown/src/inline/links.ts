/** Encodes one part of a `#narrow` URL: percent-encoding with dots instead of percent signs. */
export function encodeHashComponent(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('.', '%2E')
    .replaceAll('%', '.')
}

/** A channel in a URL: its ID, then its name for readability. */
export function channelSlug(id: number, name: string): string {
  return encodeHashComponent(`${id}-${name.replaceAll(' ', '-')}`)
}

/** A direct conversation in a URL. */
export function directSlug(userIds: readonly number[]): string {
  const ids = [...userIds].sort((a, b) => a - b).join(',')
  return userIds.length > 2 ? `${ids}-group` : ids
}

/** The URL of a channel, relative to the realm. */
export function channelUrl(id: number, name: string): string {
  return `/#narrow/channel/${channelSlug(id, name)}`
}

/** The URL of a topic, relative to the realm. With a message ID, the link survives renaming. */
export function topicUrl(channelId: number, channel: string, topic: string, withMessage?: number): string {
  const url = `${channelUrl(channelId, channel)}/topic/${encodeHashComponent(topic)}`
  return withMessage === undefined ? url : `${url}/with/${withMessage}`
}

/** The URL of a message in a channel, relative to the realm. */
export function messageUrl(channelId: number, channel: string, topic: string, messageId: number | string): string {
  return `${topicUrl(channelId, channel, topic)}/near/${messageId}`
}
