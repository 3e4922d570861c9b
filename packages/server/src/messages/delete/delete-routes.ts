import * as api from '@parley/api/deletion'
import { transactIn } from '../../context.ts'
import { type App, serve } from '../../http/serve.ts'
import { deleteTopic } from '../../topics/delete-topic.ts'
import { accessMessageToChange } from '../model/lock-message.ts'
import { checkDeleting, deleteMessages, topicOf } from './delete.ts'

export function deletionRoutes(app: App): void {
  const { ctx } = app

  serve(app, api.deleteMessage, async ({ user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) => {
      const { message, conversation } = await accessMessageToChange(tx, user, path.message_id, 'goes')
      await checkDeleting(tx, user, message)
      const topic = await topicOf(tx, message)
      await deleteMessages(tx, { conversation, topic, ids: [message.id], alwaysNotify: [user.id] })
      await tx.audit(user.id, 'message_deleted', { message_id: message.id, sender_id: message.sender_id })
    })
    return {}
  })

  serve(app, api.deleteTopic, async ({ user, path, params }) => ({
    complete: await deleteTopic(ctx, user, { channelId: path.stream_id, topic: params.topic_name }),
  }))
}
