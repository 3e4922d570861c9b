import * as api from '@parley/api/conversations/reactions'
import { actIn } from '../../context.ts'
import { type App, serveAct } from '../../http/serving/serve.ts'
import { storedCode, storedType } from '../../organization/emoji/built-in-emoji.ts'
import { findEmoji, readEmoji } from '../../organization/emoji/named-emoji.ts'
import { allDone } from '../../platform/db/pipelined.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { accessMessageToChange } from '../messages/model/lock-message.ts'
import { accessEmoji } from './access.ts'
import { addReaction, removeReaction } from './actions.ts'

export function reactionRoutes(app: App): void {
  serveAct(app, api.addReaction, ({ ctx, user, path, params }) =>
    actIn(ctx, user, async (tx) => {
      const [changing, emoji] = await allDone([
        accessMessageToChange(tx, user, path.message_id),
        readEmoji(tx, params).then((named) => accessEmoji(tx, user, path.message_id, named)),
      ] as const)
      await addReaction(tx, user, changing, emoji)
      return {}
    }),
  )

  serveAct(app, api.removeReaction, async ({ ctx, user, path, params: { emoji_name, emoji_code, reaction_type } }) => {
    if (emoji_code === undefined && emoji_name === undefined)
      throw new ApiError('At least one of the following arguments must be present: emoji_name, emoji_code')
    return actIn(ctx, user, async (tx) => {
      const [changing, found] = await allDone([
        accessMessageToChange(tx, user, path.message_id),
        emoji_code === undefined ? findEmoji(tx, emoji_name!) : undefined,
      ] as const)
      const type = storedType(reaction_type ?? found?.reaction_type ?? 'unicode_emoji')
      const code = storedCode(type, emoji_code ?? found!.emoji_code)
      await removeReaction(tx, user, changing, { reaction_type: type, emoji_code: code })
      return {}
    })
  })
}
