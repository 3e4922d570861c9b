import type { Slices } from '@parley/client/store/store'
import { type EmojiEntry, findEmoji } from '../../messages/emoji-list.ts'
import { statusText } from '../../people/presence.ts'
import { type PlainId, t } from '../../platform/i18n.ts'
import type { IconName } from '../../ui/icon.tsx'
import type { Command } from './commands.ts'

export interface Suggestion {
  label: string
  detail: string
  /** What replaces the typed beginning. */
  text: string
  /** At the end of the line. */
  hint?: string
  emoji?: EmojiEntry
  /** Whose face stands beside it. */
  userId?: number
  icon?: IconName
  color?: string | undefined
}

export interface Completion {
  /** How much of the text before the cursor is replaced. */
  length: number
  suggestions: Suggestion[]
}

/** What can be suggested. Emoji and topics are loaded when they are first needed, and empty until then. */
export interface Sources {
  store: Slices<'users' | 'groups' | 'channels' | 'statuses'>
  /** Who wrote in the conversation, the latest first. */
  participants: () => readonly number[]
  emoji: () => readonly EmojiEntry[]
  topics: (channelId: number) => readonly string[]
  /** Of bots, where the message is written. */
  commands: () => readonly Command[]
}

const limit = 8

/** What could complete the text before the cursor. */
export function suggest(sources: Sources, before: string): Completion | undefined {
  const command = /^\/([\w-]*)$/.exec(before)
  if (command) return offered(before.length, commands(sources.commands(), command[1]!))
  const topic = suggestTopics(sources, before)
  if (topic) return topic
  const emoji = /(?:^|[\s(])(:([\w+-][\w+ -]{1,40}))$/.exec(before)
  if (emoji) return offered(emoji[1]!.length, emojiNames(sources.emoji(), emoji[2]!))
  const found = /(?:^|[\s(])(@_?|#)([^\s@#:*][^@#:*\n]{0,40}|)$/.exec(before)
  if (!found) return undefined
  const [, sign, typed] = found as unknown as [string, string, string]
  const suggestions = sign === '#' ? channels(sources.store, typed) : people(sources, typed, sign)
  return offered(sign.length + typed.length, suggestions)
}

function offered(length: number, suggestions: Suggestion[]): Completion | undefined {
  return suggestions.length === 0 ? undefined : { length, suggestions }
}

/** After `#**channel>`, `#**channel** >` or `#channel>`. */
function suggestTopics({ store, topics }: Sources, before: string): Completion | undefined {
  const found =
    /#\*\*([^*>\n]+)>([^*\n]{0,60})$/.exec(before) ??
    /#\*\*([^*>\n]+)\*\* ?>([^*\n]{0,60})$/.exec(before) ??
    /(?:^|[\s(])#([^\s*>#][^*>#\n]*)>([^*\n]{0,60})$/.exec(before)
  const channel = found && allChannels(store).find(({ name }) => name.toLowerCase() === found[1]!.toLowerCase())
  if (!channel) return undefined
  const suggestions = findTopics(topics(channel.stream_id), found[2]!).map((topic) => ({
    label: `#${channel.name} › ${topic === '' ? t('topic.general') : topic}`,
    detail: '',
    text: `#**${channel.name}>${topic}** `,
    icon: 'message-circle' as const,
  }))
  return offered(found[0].length - found[0].indexOf('#'), suggestions)
}

export function findTopics(topics: readonly string[], typed: string): string[] {
  return topics.filter((topic) => isMatch(topic.replace(/^✔ /, ''), typed)).slice(0, limit)
}

function emojiNames(entries: readonly EmojiEntry[], typed: string): Suggestion[] {
  return findEmoji(entries, typed, limit).map((emoji) => ({
    label: `:${emoji.emoji_name}:`,
    detail: '',
    text: `:${emoji.emoji_name}: `,
    emoji,
  }))
}

const slashCommands: { label: string; detail: PlainId; text: string }[] = [
  { label: '/poll', detail: 'compose.poll', text: '/poll ' },
  { label: '/todo', detail: 'compose.todo', text: '/todo ' },
  { label: '/me', detail: 'compose.me', text: '/me ' },
]

function commands(ofBots: readonly Command[], typed: string): Suggestion[] {
  const own = slashCommands.map((one) => ({ ...one, detail: t(one.detail) }))
  const others = ofBots.map(({ name, description, args = [], bot_id }) => ({
    label: `/${name}`,
    detail: [...args.map((one) => (one.required ? `<${one.name}>` : `[${one.name}]`)), description].join(' '),
    text: `/${name} `,
    userId: bot_id,
  }))
  return [...own, ...others].filter(({ label }) => label.startsWith(`/${typed}`)).slice(0, limit)
}

function people({ store, participants }: Sources, typed: string, sign: string): Suggestion[] {
  const mark = sign === '@_' ? '@_' : '@'
  const present = participants()
  const place = (id: number) => (present.includes(id) ? present.indexOf(id) : present.length)
  const users = [...store.users.byId.values()]
    .filter(({ is_active, full_name }) => is_active && isMatch(full_name, typed))
    .sort((a, b) => place(a.user_id) - place(b.user_id) || a.full_name.localeCompare(b.full_name))
    .map(({ full_name, user_id, email }) => ({
      label: full_name,
      detail: statusText(store, user_id) || email,
      text: `${mark}**${full_name}|${user_id}** `,
      userId: user_id,
      ...(present.includes(user_id) && { hint: t('compose.takesPart') }),
    }))
  const groups = [...store.groups.byId.values()]
    .filter(({ name, is_system_group }) => !is_system_group && isMatch(name, typed))
    .map(({ name, description }) => ({
      label: name,
      detail: description,
      text: `${mark}*${name}* `,
      icon: 'users-round' as const,
    }))
  const everyone = ['all', 'topic']
    .filter((name) => sign === '@' && name.startsWith(typed.toLowerCase()))
    .map((name) => ({
      label: name,
      detail: name === 'all' ? t('compose.notifyChannel') : t('compose.notifyTopic'),
      text: `@**${name}** `,
      icon: 'megaphone' as const,
    }))
  return [...users, ...groups, ...everyone].slice(0, limit)
}

function allChannels({ channels: { subscribed, neverSubscribed } }: Sources['store']) {
  return [...subscribed.values(), ...neverSubscribed.values()]
}

function channels(store: Sources['store'], typed: string): Suggestion[] {
  return allChannels(store)
    .filter(({ name }) => isMatch(name, typed))
    .slice(0, limit)
    .map((channel) => ({
      label: channel.name,
      detail: channel.description,
      text: `#**${channel.name}** `,
      icon: channel.invite_only ? 'lock' : 'hash',
      color: 'color' in channel ? String(channel.color) : undefined,
    }))
}

/** Whether each typed word begins a word of the name. */
export function isMatch(name: string, typed: string): boolean {
  const words = name.toLowerCase().split(/[\s_-]+/)
  return typed
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .every((part) => words.some((word) => word.startsWith(part)) || name.toLowerCase().startsWith(typed.toLowerCase()))
}
