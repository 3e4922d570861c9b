import type { ActionAnswers, ActionElement } from '@parley/api/conversations/action-widgets'
import { problemWith } from '@parley/api/conversations/form-answers'
import type { Caller } from '../../../callers/caller.ts'
import { accessMessage, type Message } from '../../../conversations/messages/model/access.ts'
import { readActions } from '../../../conversations/widgets/update-actions.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { ApiError } from '../../../platform/http/api-error.ts'

export interface Press {
  action_id: string
  value?: string
  answers?: ActionAnswers
}

/** A message with the action that the caller may press. */
export async function accessAction(db: Db, caller: Caller, messageId: number, press: Press): Promise<Message> {
  const message = await accessMessage(db, caller, messageId)
  const widget = await readActions(db, caller.realm_id, message)
  const element = widget?.extra_data.rows.flat().find(({ id }) => id === press.action_id)
  if (!element) throw new ApiError('This message has no such action. It may have changed.')
  const group = widget!.extra_data.allowed_group
  if (group !== undefined && !caller.groups.has(group))
    throw new ApiError('You may not press this.', 'PERMISSION_DENIED')
  checkPress(element, press)
  return message
}

function checkPress(element: ActionElement, { value, answers }: Press): void {
  if (element.type === 'select') {
    if (!element.options.some((option) => option.value === value)) throw new ApiError('Choose one of the options.')
    return
  }
  if (element.url || (element.reply !== undefined && !element.call))
    throw new ApiError('This button calls no bot: clients open its URL, or send its reply.')
  const problem = element.form && problemWith(element.form, answers ?? {})
  if (problem) throw new ApiError(problem)
}
