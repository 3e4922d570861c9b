import { decodedPath, withoutDownload } from '../inline/urls.ts'
import { channelWildcards, parseUserName, topicWildcard } from './mentions.ts'

/** Everything in a text that must be looked up in the database. It may contain more than rendering will use. */
export interface References {
  /** Names without an ID, matched case-insensitively. */
  userNames: string[]
  userIds: number[]
  groupNames: string[]
  channelNames: string[]
  topics: { channel: string; topic: string }[]
  /** Every `:name:`, because a custom emoji may override a built-in one. */
  emojiNames: string[]
  /** path_ids of uploaded files. */
  uploads: string[]
}

/** Matches every text with references, and few others. */
const mayRefer = /@_?\*|#\*\*|:[^\s:]+:|user_uploads\//

/** Finds what must be looked up before rendering. Undefined for most texts, which refer to nothing. */
export function findReferences(content: string): References | undefined {
  if (!mayRefer.test(content)) return undefined
  const users = captures(content, /@_?\*\*(?=([^*]+)\*\*)/g).map(parseUserName)
  return {
    userNames: users.flatMap(({ name, id }) => (name !== undefined && id === undefined && isName(name) ? [name] : [])),
    userIds: users.flatMap(({ id }) => id ?? []),
    groupNames: captures(content, /@_?\*(?=([^*]+)\*)/g),
    ...channelReferences(content),
    emojiNames: captures(content, /:([\p{L}\p{N}_+-]+):/gu),
    uploads: captures(content, /user_uploads\/([^\s)"'<>?#]*[^\s)"'<>?#!:;,.])/g).map((path) =>
      withoutDownload(decodedPath(path)),
    ),
  }
}

function channelReferences(content: string): Pick<References, 'channelNames' | 'topics'> {
  const channels = new Set<string>()
  const topics: References['topics'] = []
  for (const name of captures(content, /#\*\*(?=([^*]+)\*\*)/g)) {
    channels.add(name)
    const [, channel, topic] = /^([^>]+)>(.*)$/s.exec(name) ?? []
    if (channel === undefined || topic === undefined) continue
    channels.add(channel)
    topics.push({ channel, topic })
  }
  return { channelNames: [...channels], topics }
}

function isName(name: string): boolean {
  return name !== topicWildcard && !channelWildcards.has(name)
}

/** The distinct values of the first group over all matches. A group in a lookahead may contain the start of another match. */
function captures(content: string, pattern: RegExp): string[] {
  return [...new Set(Array.from(content.matchAll(pattern), (found) => found[1] ?? ''))]
}
