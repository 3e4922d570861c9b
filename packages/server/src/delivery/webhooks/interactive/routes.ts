import * as api from '@parley/api/delivery/actions'
import { reloadCaller } from '../../../callers/authenticate.ts'
import type { Caller } from '../../../callers/caller.ts'
import { transactIn } from '../../../context.ts'
import { accessMessageToChange } from '../../../conversations/messages/model/lock-message.ts'
import { accessDestination } from '../../../conversations/messages/send/destination.ts'
import { storeSubmessage } from '../../../conversations/widgets/actions.ts'
import type { Tx } from '../../../events/transact.ts'
import { type App, serve } from '../../../http/serving/serve.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { findService } from '../deliveries.ts'
import { readWebhookMessage } from '../payload.ts'
import { replyDestination } from '../reply-to-message.ts'
import { applyAnswer } from './answers.ts'
import { BotNotReached, callEndpoint } from './call-endpoint.ts'
import { accessCommand, commandPayload, readCommands, userOf } from './commands.ts'
import { accessAction, type Press } from './press.ts'

export function interactiveRoutes(app: App): void {
  serve(app, api.pressAction, async ({ ctx, user, path: { message_id }, params }) => {
    const press: Press = params
    const { sender_id } = await accessAction(ctx.db, user, message_id, press)
    const audit = (tx: Tx) => tx.audit(user.id, 'action_pressed', { message_id, action_id: press.action_id })
    // Whatever its endpoint answers, it was pressed.
    const record = () => transactIn(ctx, user.realm_id, audit)
    if (!(await findService(ctx.db, user.realm_id, sender_id))) {
      await transactIn(ctx, user.realm_id, async (tx) => {
        await storePress(tx, user, message_id, press)
        await audit(tx)
      })
      return {}
    }
    const called = await callEndpoint(ctx, user, sender_id, async (bot, token) => {
      await accessAction(ctx.db, await reloadCaller(ctx.db, user), message_id, press)
      const message = await readWebhookMessage(ctx.db, bot, message_id)
      if (!message || !(await replyDestination(ctx.db, bot, message_id)))
        throw new BotNotReached('It can no longer write there.')
      await record()
      return { type: 'action', ...press, message, user: userOf(user), bot_email: bot.email, token }
    })
    const destination = await replyDestination(ctx.db, called.bot, message_id)
    if (!destination) throw new ApiError('The conversation no longer accepts messages.')
    await applyAnswer(ctx, called, { user, destination, messageId: message_id })
    return called.answer.form ? { form: called.answer.form } : {}
  })

  serve(app, api.getCommands, async ({ ctx, user, params }) => ({
    commands: await readCommands(ctx.db, user, params.stream_id),
  }))

  serve(app, api.runCommand, async ({ ctx, user, params }) => {
    const { stream_id, topic = '', to = [], text = '' } = params
    const place =
      stream_id === undefined ? { type: 'direct', to: [...to, user.id] } : { type: 'channel', to: stream_id, topic }
    const destination = await accessDestination(ctx.db, user, place)
    const { bot_id, name } = await accessCommand(ctx.db, user, params)
    const called = await callEndpoint(ctx, user, bot_id, async (bot, token, form) => {
      const caller = await reloadCaller(ctx.db, user)
      await accessDestination(ctx.db, caller, place)
      await accessCommand(ctx.db, caller, { ...params, bot_id })
      await transactIn(ctx, user.realm_id, (tx) => tx.audit(user.id, 'command_run', { bot_id, command: name }))
      return commandPayload(form, { bot, token, caller, command: name, text, destination })
    })
    await applyAnswer(ctx, called, { user, destination })
    return {}
  })
}

/** What is pressed at the message of a user, or of a bot without an endpoint, is shown to all readers. */
async function storePress(tx: Tx, user: Caller, messageId: number, press: Press): Promise<void> {
  const changing = await accessMessageToChange(tx, user, messageId)
  const content = JSON.stringify({ type: 'action', ...press })
  await storeSubmessage(tx, user, changing, { msg_type: 'widget', content })
}
