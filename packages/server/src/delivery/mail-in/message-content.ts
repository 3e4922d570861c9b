import { Readable } from 'node:stream'
import { maxMessageLength } from '@parley/api/common'
import type { Caller } from '../../callers/caller.ts'
import { type Context, transactIn } from '../../context.ts'
import { addFile, storeFile } from '../../conversations/uploads/actions.ts'
import { uploadPath } from '../../conversations/uploads/paths.ts'
import { checkQuota, quotaOf } from '../../conversations/uploads/quota.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { firstCharacters, lengthOf } from '../../platform/text.ts'
import type { ParsedAttachment, ParsedEmail } from './parse-email.ts'

class EmptyEmail extends ApiError {
  constructor() {
    super('The email contains no text of yours. Write above the quoted email, and not in its subject.')
  }
}

interface Remarks {
  /** The mail server has confirmed who wrote it; otherwise it mentions nobody at large. */
  isVerified: boolean
  /** Whether a text says that it was not confirmed. */
  isMarked?: boolean
  /** Above the text. */
  head?: string
}

/** For the notes below a text. */
const room = 1500

/** The message that an email becomes, below `head`. Its attachments become uploads of the author. */
export async function writeContent(
  ctx: Context,
  author: Caller,
  { text, attachments, leftOut }: ParsedEmail,
  { isVerified, isMarked = !isVerified, head = '' }: Remarks,
): Promise<string> {
  if (text === '' && attachments.length === 0) throw new EmptyEmail()
  const links = new Map<ParsedAttachment, string>()
  for (const file of attachments) links.set(file, await uploaded(ctx, author, file))
  const own = isVerified ? text : withoutWildcards(text)
  const placed = attachments.reduce((all, file) => placeImage(all, file, links.get(file)!), own)
  const below = attachments.filter(({ place }) => place === '').map((file) => links.get(file)!)
  const notes = [
    ...below,
    ...(leftOut > 0 ? [`*(${leftOut} more attachments were left out)*`] : []),
    ...(isMarked && !isVerified ? ['*(via email, not verified)*'] : []),
  ]
  return [head, await shortened(ctx, author, placed), notes.join('\n')].filter((part) => part !== '').join('\n\n')
}

function placeImage(text: string, { place }: ParsedAttachment, link: string): string {
  return place === '' ? text : text.replace(place, () => link)
}

/** A text that is too long for a message is a file, and the message has its beginning. */
async function shortened(ctx: Context, author: Caller, text: string): Promise<string> {
  if (lengthOf(text) <= maxMessageLength - room) return text
  const content = new TextEncoder().encode(text)
  const link = await uploaded(ctx, author, { name: 'email.txt', type: 'text/plain', content, place: '' })
  return `${firstCharacters(text, maxMessageLength - room)}…\n\n${link}`
}

/** Stores the file and returns a link to it. Files of an email that is not posted are removed later, like all unused ones. */
async function uploaded(ctx: Context, author: Caller, { name, type, content }: ParsedAttachment): Promise<string> {
  const filename = name.trim().slice(0, 200).toWellFormed() || 'attachment'
  const quota = quotaOf(ctx.config, author.realm)
  await checkQuota(ctx.db, author.realm_id, content.length, quota)
  const upload = {
    filename,
    contentType: type,
    size: content.length,
    stream: () => Readable.from(content.length === 0 ? [] : [Buffer.from(content)]),
    bytes: async (length = content.length) => Buffer.from(content.subarray(0, length)),
  }
  const file = await storeFile(ctx.files, author, upload)
  try {
    await transactIn(ctx, author.realm_id, (tx) => addFile(tx, author, file, quota))
  } catch (error) {
    if (error instanceof ApiError) await ctx.files.delete(uploadPath(file.path_id))
    throw error
  }
  return `[${file.name.replace(/[[\]]/g, '_')}](/user_uploads/${file.path_id})`
}

/** Who has not proved who they are must not be able to disturb everyone. */
function withoutWildcards(text: string): string {
  return text.replace(/@(?=\*\*(?:all|everyone|channel|stream|topic)\*\*)/gi, '')
}
