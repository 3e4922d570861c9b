import { type Fields, fieldsOf, listOf, textOf, timeOf } from '../fields.ts'
import { plainTitle } from '../plain-title.ts'
import type { ImportedMessage } from '../records/records.ts'
import { attachmentsText } from './attachments-text.ts'
import { directKey, usernameOf } from './people.ts'
import { channelKey, locate, type Reading } from './reading.ts'

type Destination = Pick<ImportedMessage, 'place' | 'members'>

export async function readPost(post: Fields, reading: Reading): Promise<void> {
  await readThread({ place: channelKey(post.team, post.channel) }, post, reading)
}

export async function readDirectPost(post: Fields, reading: Reading): Promise<void> {
  const members = [...new Set(listOf(post.channel_members).map(usernameOf))].sort()
  const place = directKey(members)
  reading.conversations.add(place)
  reading.sink.count('direct posts')
  await readThread({ place, members }, post, reading)
}

/** A line is a first post with all its replies, in any order. */
async function readThread(place: Destination, root: Fields, reading: Reading): Promise<void> {
  const rootMessage = await readOne(place, root, reading)
  const replies: ImportedMessage[] = []
  for (const value of listOf(root.replies)) {
    const reply = await readOne(place, value, reading)
    if (reply) replies.push(reply)
  }
  replies.sort((a, b) => a.at - b.at)
  const all = rootMessage ? [rootMessage, ...replies] : replies
  if (!all[0]) return
  if (replies.length > 0) joinThread(root, all, replies.length)
  all[0].followers = listOf(root.thread_followers).map((one) => usernameOf((one as Fields | null)?.user))
  for (const message of all) keep(message, reading)
}

function joinThread(root: Fields, messages: ImportedMessage[], replies: number): void {
  const title = messages.map(({ text, files }) => plainTitle(text) || (files[0]?.name ?? '')).find((one) => one !== '')
  const at = timeOf(root.create_at)
  const key = `${textOf(root.user)} ${at}`
  for (const [index, message] of messages.entries())
    message.thread = { key, replies, at, title: title ?? '', isRoot: index === 0 }
}

function keep(message: ImportedMessage, { sink, line }: Reading): void {
  try {
    sink.add('message', message)
  } catch (error) {
    sink.problem({
      kind: 'dropped',
      place: `line ${line}, ${message.sender} ${message.at}`,
      error: (error as Error).message,
    })
  }
}

/** Undefined for what is dropped. */
async function readOne(place: Destination, value: unknown, reading: Reading): Promise<ImportedMessage | undefined> {
  const { sink, line } = reading
  sink.count('messages')
  try {
    return await readMessage(place, fieldsOf(value), reading)
  } catch (error) {
    sink.problem({ kind: 'dropped', place: `line ${line}`, error: (error as Error).message })
    return undefined
  }
}

async function readMessage(place: Destination, post: Fields, reading: Reading): Promise<ImportedMessage | undefined> {
  const { sink } = reading
  const props = (post.props ?? {}) as Fields
  const author = usernameOf(post.user)
  const at = timeOf(post.create_at)
  if (isSystemPost(textOf(post.type))) return void sink.count('system posts')
  const files = await readFiles(post, reading)
  const text = [messageText(post), attachmentsText(props.attachments)].filter((part) => part.trim() !== '').join('\n\n')
  if (text === '' && files.length === 0) return void sink.count('empty posts')
  return {
    ...place,
    ...senderOf(author, props, reading),
    at,
    text,
    ...(timeOf(post.edit_at) > 0 && { editedAt: timeOf(post.edit_at) }),
    reactions: listOf(post.reactions).map((one) => reactionOf(fieldsOf(one))),
    files,
    starredBy: listOf(post.flagged_by).map(usernameOf),
    followers: [],
    isPinned: post.is_pinned === true,
  }
}

/** Who joined, which header was changed. Their texts are in the language of the user who acted. */
function isSystemPost(type: string): boolean {
  return type.startsWith('system_') || type === 'add_bot_teams_channels'
}

/** The server put stars around "/me" messages. */
function messageText({ type, message }: Fields): string {
  const text = textOf(message)
  return type === 'me' ? `/me ${text.replace(/^\*/, '').replace(/\*$/, '')}` : text
}

const longestBotName = 60
const mostWebhookBots = 200

/**
 * Posts of webhooks show a name that anybody can set, even that of a colleague. They belong to a bot, one for each name; the
 * bot belongs to the user who made the webhook.
 */
function senderOf(author: string, props: Fields, { sink, bots }: Reading): Pick<ImportedMessage, 'sender' | 'author'> {
  if (props.from_webhook !== 'true' || bots.has(author)) return { sender: author }
  const shown = (textOf(props.override_username) || textOf(props.webhook_display_name)).trim().slice(0, longestBotName)
  const wanted = `webhook ${shown.toLowerCase()}`
  const key = bots.has(wanted) || bots.size < mostWebhookBots ? wanted : 'webhook '
  if (!bots.has(key)) {
    bots.add(key)
    const name = key === 'webhook ' ? 'Webhook' : `${shown} (webhook)`
    sink.add('user', { key, names: [name], role: 'member', isActive: true, bot: { owner: author } })
    sink.count('bots for webhooks')
  }
  return { sender: key, author }
}

function reactionOf({ user, emoji_name, create_at }: Fields): ImportedMessage['reactions'][number] {
  return { user: usernameOf(user), emoji: textOf(emoji_name), at: timeOf(create_at) }
}

async function readFiles(post: Fields, { archive, sink, line, userOfId }: Reading): Promise<ImportedMessage['files']> {
  const files: ImportedMessage['files'] = []
  for (const one of listOf(post.attachments)) {
    const path = textOf(fieldsOf(one).path)
    const name = path.slice(path.lastIndexOf('/') + 1)
    const [, id = ''] = /\/users\/(\w+)\//.exec(path) ?? []
    const owner = userOfId.get(id)
    const found = await locate(archive, path)
    sink.count('files')
    if (!(await archive.find(found))) sink.problem({ kind: 'missing', place: `line ${line}`, error: `no file ${path}` })
    files.push({ path: found, name, ...(owner !== undefined && { owner }) })
  }
  return files
}
