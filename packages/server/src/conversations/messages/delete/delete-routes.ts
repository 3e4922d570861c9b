import * as api from '@parley/api/conversations/deletion'
import { transactIn } from '../../../context.ts'
import { type App, serve } from '../../../http/serving/serve.ts'
import { deleteTopic } from '../../topics/delete-topic.ts'
import { accessMessageToChange } from '../model/lock-message.ts'
import { checkDeleting, deleteMessages, isRestorable } from './delete.ts'
import { readDeletedMessages } from './deleted-messages.ts'
import { restoreMessage } from './restore.ts'

export function deletionRoutes(app: App): void {
  serve(app, api.deleteMessage, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) => {
      const { message, conversation } = await accessMessageToChange(tx, user, path.message_id, 'goes')
      await checkDeleting(tx, user, message)
      const keptFor = isRestorable(user, conversation) ? user.id : undefined
      await deleteMessages(tx, { conversation, ids: [message.id], alwaysNotify: [user.id], keptFor })
      await tx.audit(user.id, 'message_deleted', { message_id: message.id, sender_id: message.sender_id })
    })
    return {}
  })

  serve(app, api.deleteTopic, async ({ ctx, user, path, params }) => ({
    complete: await deleteTopic(ctx, user, { channelId: path.stream_id, topic: params.topic_name }),
  }))

  serve(app, api.getDeletedMessages, async ({ ctx, user, params: { before, limit } }) => {
    const found = await readDeletedMessages(ctx.db, user, { before, limit: limit + 1 })
    return { messages: found.slice(0, limit), found_oldest: found.length <= limit }
  })

  serve(app, api.restoreMessage, async ({ ctx, user, path: { message_id } }) => {
    await transactIn(ctx, user.realm_id, async (tx) => {
      const { channel_id, sender_id } = await restoreMessage(tx, user, message_id)
      await tx.audit(user.id, 'message_restored', { message_id, sender_id, ...(channel_id !== null && { channel_id }) })
    })
    return {}
  })
}
