import { withThumbnails } from '@parley/markdown/media/thumbnails'
import type { Tx } from '../../../events/transact.ts'
import { matches } from '../../../platform/db/matches.ts'
import { unixSeconds } from '../../../platform/text.ts'
import { readPersonal } from '../edit/event-flags.ts'
import { imagesAmong, linkedUploads } from '../model/attachments.ts'
import { audienceOf, type Conversation } from '../model/audience.ts'
import { lockedChannel, lockPlace } from '../model/lock-message.ts'

declare module '../../../platform/jobs/tasks.ts' {
  interface Tasks {
    /** Enqueued when thumbnails of the message's images may be ready. */
    refresh_previews: { message_id: number }
  }
}

interface RenderedMessage {
  id: number
  recipient_id: number
  channel_id: number | null
  topic_id: number | null
  content: string
  rendered_content: string
}

/** Inserts thumbnails that have become ready into a message. Idempotent: does nothing if there are none. */
export function refreshPreviews(tx: Tx, messageId: number): Promise<void> {
  return changeRendering(tx, messageId, async ({ rendered_content }) => {
    const images = imagesAmong(await linkedUploads(tx.db, tx.realmId, messageId))
    const { html, hasImage } = withThumbnails(rendered_content, images)
    return { rendered_content: html, has_image: hasImage }
  })
}

interface Rendering {
  rendered_content: string
  has_image?: boolean
}

/** Changes what a message looks like, but not what it says. Does nothing if the HTML stays the same. */
export async function changeRendering(
  tx: Tx,
  messageId: number,
  change: (message: RenderedMessage) => Promise<Rendering>,
): Promise<void> {
  const locked = await lockMessage(tx, messageId)
  if (!locked) return
  const { message, conversation } = locked
  const changed = await change(message)
  if (changed.rendered_content === message.rendered_content) return
  await tx.db
    .updateTable('messages')
    .set(changed)
    .where(matches({ realm_id: tx.realmId, id: messageId }))
    .execute()
  await emitRendering(tx, { ...message, ...changed }, conversation)
}

async function emitRendering(tx: Tx, { id, content, rendered_content }: RenderedMessage, conversation: Conversation) {
  const audience = await audienceOf(tx, conversation, [id])
  tx.emit(
    {
      type: 'update_message',
      user_id: null,
      rendering_only: true,
      message_id: id,
      message_ids: [id],
      flags: [],
      edit_timestamp: unixSeconds(new Date()),
      content,
      rendered_content,
    },
    audience,
    null,
    await readPersonal(tx, { id, audience }),
  )
}

async function lockMessage(
  tx: Tx,
  id: number,
): Promise<{ message: RenderedMessage; conversation: Conversation } | null> {
  const place = await lockPlace(tx, { id })
  const message = await findMessage(tx, id)
  if (!message) return null
  const channel = lockedChannel(place, message)
  return { message, conversation: { realm_id: tx.realmId, recipient_id: message.recipient_id, channel } }
}

async function findMessage(tx: Tx, id: number): Promise<RenderedMessage | undefined> {
  return tx.db
    .selectFrom('messages')
    .select(['id', 'recipient_id', 'channel_id', 'topic_id', 'content', 'rendered_content'])
    .where(matches({ realm_id: tx.realmId, id }))
    .executeTakeFirst()
}
