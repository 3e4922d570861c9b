/** The hash of a topic in the channel `design`, as the client writes it. */
export function topicAt(topic: string): string {
  const written = encodeURIComponent(topic).replaceAll('.', '%2E').replaceAll('%', '.')
  return `#narrow/channel/{channel design}-design/topic/${written}`
}

export const composerField = '#composer'
