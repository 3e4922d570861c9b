import * as api from '@parley/api/conversations/messages'
import { defaultDestination } from '../../../delivery/bots/defaults.ts'
import { clientName } from '../../../http/serving/client-info.ts'
import { type App, serve } from '../../../http/serving/serve.ts'
import { realmUrl } from '../../../organization/realms/realm-url.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { lengthOf } from '../../../platform/text.ts'
import { policyAfterSending } from '../../topics/automatic-policies.ts'
import { startStream } from '../edit/streaming.ts'
import { normalizeContent } from '../model/normalize-text.ts'
import { isInteractive } from './interactive-clients.ts'
import { noticeModeOf } from './notice-mode.ts'
import { sendMessage } from './send.ts'

export function messageRoutes(app: App): void {
  serve(app, api.sendMessage, async ({ ctx, user, params, ignored, request }) => {
    refuseForgedSender(ignored)
    const { type, to, topic, widget_content, queue_id, local_id, read_by_sender, streaming } = params
    const { content, mode } = noticeModeOf(params)
    const client = clientName(request)
    const sent = await sendMessage(ctx, user, {
      type,
      topic,
      content,
      widget_content,
      to: to ?? (await defaultDestination(ctx.db, user, type)),
      mode,
      client,
      afterwards: streaming ? (tx, { id }) => startStream(tx, id) : undefined,
      readBySender: read_by_sender ?? isInteractive(client),
      realmUrl: realmUrl(ctx, request, user.realm),
      echo: queue_id !== undefined && local_id !== undefined ? { queue_id, local_id } : undefined,
      claimId: await ctx.claim?.take(ctx.db),
    })
    // The message is already sent, so an error here must not fail the request.
    const policy = await policyAfterSending(ctx, user, sent).catch((error: unknown) => {
      ctx.log.warn({ err: error }, 'Could not update the topic policies after sending a message.')
      return undefined
    })
    const length = streaming ? lengthOf(normalizeContent(content)) : undefined
    return {
      id: sent.id,
      ...(length !== undefined && { length }),
      ...(policy && { automatic_new_visibility_policy: policy }),
    }
  })
}

/** Refuses requests that name another sender; otherwise the message would appear as the caller's own. */
function refuseForgedSender(ignored: string[]): void {
  const name = ['sender', 'forged'].find((one) => ignored.includes(one))
  if (name) throw new ApiError(`'${name}' is not supported: messages are sent as the authenticated user.`)
}
