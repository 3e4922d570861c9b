import type { RenderContext, UploadedImage } from '@parley/markdown/context'
import { findReferences } from '@parley/markdown/references/references'
import type { Rendered } from '@parley/markdown/render'
import type { Realm } from '../../../callers/realm-state.ts'
import { topicKey } from '../../../conversations/messages/model/normalize-text.ts'
import { CannotRender } from '../../../conversations/messages/rendering/renderer.ts'
import { emojiUrl } from '../../../organization/emoji/queries.ts'
import { escapeHtml } from '../../../platform/html.ts'
import type { RowRun } from './restore-rows.ts'

interface User {
  id: number
  full_name: string
  is_active: boolean
  translates: boolean
  isSystemBot: boolean
}

interface Channel {
  id: number
  name: string
  isPrivate: boolean
}

/** What texts can refer to, in memory: looking it up for each of a million messages would take longer than writing them. */
export class Directory {
  readonly #users = new Map<number, User>()
  readonly #usersByName = new Map<string, User[]>()
  readonly #groups = new Map<string, { id: number; name: string; deactivated: boolean }>()
  readonly #channels = new Map<string, Channel>()
  readonly #members = new Set<string>()
  readonly #emoji = new Map<string, string>()
  readonly images = new Map<string, UploadedImage>()
  /** The first message of each topic, by `channel topic`. */
  readonly topics = new Map<string, number>()
  readonly #run: RowRun
  readonly #realm: Realm

  constructor(run: RowRun) {
    this.#run = run
    this.#realm = run.realm
  }

  async load(): Promise<void> {
    const { client, realm } = this.#run
    const read = async <T>(text: string) => (await client.query(text, [realm.id])).rows as T[]
    for (const user of await read<User>(
      `select id, full_name, is_active, coalesce((settings ->> 'translate_emoticons')::boolean, false) as translates,
              is_system_bot as "isSystemBot"
         from users where realm_id = $1 order by is_active desc, id`,
    )) {
      this.#users.set(user.id, user)
      const name = user.full_name.toLowerCase()
      this.#usersByName.set(name, [...(this.#usersByName.get(name) ?? []), user])
    }
    for (const group of await read<{ id: number; name: string; deactivated: boolean }>(
      'select id, name, deactivated from user_groups where realm_id = $1 and name is not null',
    ))
      this.#groups.set(group.name.toLowerCase(), group)
    for (const channel of await read<Channel>(
      'select id, name, invite_only as "isPrivate" from channels where realm_id = $1',
    ))
      this.#channels.set(channel.name.toLowerCase(), channel)
    for (const { user_id, channel_id } of await read<{ user_id: number; channel_id: number }>(
      `select user_id, channel_id from subscriptions s join channels c on c.realm_id = s.realm_id and c.id = s.channel_id
        where s.realm_id = $1 and c.invite_only`,
    ))
      this.#members.add(`${user_id} ${channel_id}`)
    for (const { name, file_name } of await read<{ name: string; file_name: string }>(
      'select name, file_name from realm_emoji where realm_id = $1 and not deactivated',
    ))
      this.#emoji.set(name, emojiUrl(realm.id, file_name))
    for (const image of await read<Omit<UploadedImage, 'thumbnail_ready'>>(
      'select path_id, content_type, width, height from attachments where realm_id = $1 and width is not null',
    ))
      this.images.set(image.path_id, { ...image, thumbnail_ready: false })
  }

  /** What is needed to render a text of this author, who links only to channels that they may see. */
  contextFor(content: string, authorId: number): RenderContext {
    const { settings, linkifiers } = this.#realm
    const options: RenderContext = {
      linkifiers,
      translateEmoticons: this.#users.get(authorId)?.translates === true,
      defaultCodeLanguage: settings.default_code_block_language,
      previews: settings.inline_image_preview,
    }
    const references = findReferences(content)
    if (!references) return options
    const { userIds, userNames, groupNames, channelNames, emojiNames, uploads, topics } = references
    const channels = channelNames.flatMap((name) => {
      const channel = this.#channels.get(name.toLowerCase())
      return channel?.name === name && this.#mayLink(channel, authorId) ? [channel] : []
    })
    const byName = new Map(channels.map((channel) => [channel.name, channel.id]))
    return {
      ...options,
      users: [
        ...userIds.flatMap((id) => this.#users.get(id) ?? []),
        ...userNames.flatMap((name) => this.#usersByName.get(name.toLowerCase()) ?? []),
      ].map(({ id, full_name, is_active }) => ({ id, full_name, is_active })),
      groups: groupNames.flatMap((name) => this.#groups.get(name.toLowerCase()) ?? []),
      channels: channels.map(({ id, name }) => ({ id, name })),
      customEmoji: emojiNames.flatMap((name) => {
        const source_url = this.#emoji.get(name)
        return source_url === undefined ? [] : [{ name, source_url }]
      }),
      images: uploads.flatMap((path) => this.images.get(path) ?? []),
      topics: topics.flatMap(({ channel, topic }) => {
        const message_id = this.topics.get(`${byName.get(channel)} ${topicKey(topic)}`)
        return message_id === undefined ? [] : [{ channel, topic, message_id }]
      }),
    }
  }

  #mayLink({ id, isPrivate }: Channel, authorId: number): boolean {
    const isNotice = this.#users.get(authorId)?.isSystemBot === true
    return !isPrivate || isNotice || this.#members.has(`${authorId} ${id}`)
  }

  /** A text that takes too long is stored as it is written. */
  async render(content: string, authorId: number): Promise<Rendered> {
    const { renderer } = this.#run.ctx
    try {
      const owner = { realm_id: this.#realm.id, id: 0, bot_owner_id: null }
      return await renderer.render(owner, content, this.contextFor(content, authorId))
    } catch (error) {
      if (!(error instanceof CannotRender)) throw error
      return { ...renderer.renderNow('', {}), html: `<p>${escapeHtml(content)}</p>` }
    }
  }

  /** The same for short texts of the organization and of people, without previews. */
  async description(content: string): Promise<string> {
    return content === '' ? '' : (await this.render(content, 0)).html
  }
}
