import type { LinkableTopic, MentionableGroup, MentionableUser, RenderContext } from './context.ts'

/** One message being rendered: the context from the caller, and what rendering found. */
export class Message {
  readonly context: RenderContext
  readonly mentionedUserIds = new Set<number>()
  readonly mentionedGroupIds = new Set<number>()
  readonly uploads = new Set<string>()
  readonly previewUrls = new Set<string>()
  channelWildcard = false
  topicWildcard = false
  hasLink = false
  hasImage = false

  constructor(context: RenderContext) {
    this.context = context
  }

  /** The URL from which an image or audio file is loaded. External files go through the proxy, if there is one. */
  mediaSource(url: string): string {
    const { realmUrl, proxyUrl } = this.context
    const isOwn = !/^https?:/.test(url) || (realmUrl !== undefined && url.startsWith(`${realmUrl}/`))
    return isOwn || !proxyUrl ? url : proxyUrl(url)
  }

  userNamed(name: string): MentionableUser | undefined {
    const wanted = name.toLowerCase()
    return this.context.users?.find((user) => user.full_name.toLowerCase() === wanted)
  }

  userWithId(id: number): MentionableUser | undefined {
    return this.context.users?.find((user) => user.id === id)
  }

  groupNamed(name: string): MentionableGroup | undefined {
    const wanted = name.toLowerCase()
    return this.context.groups?.find((group) => group.name.toLowerCase() === wanted)
  }

  channelId(name: string): number | undefined {
    return this.context.channels?.find((channel) => channel.name === name)?.id
  }

  topicLinked(channel: string, topic: string): LinkableTopic | undefined {
    const wanted = topic.toLowerCase()
    return this.context.topics?.find((known) => known.channel === channel && known.topic.toLowerCase() === wanted)
  }
}
