import { type ActionsWidget, actionsWidget } from '@parley/api/conversations/action-widgets'
import type { ZformWidget } from '@parley/api/conversations/widgets'
import { Compile } from 'typebox/compile'

const isActions = Compile(actionsWidget)

/** The actions that a submessage defines. Users can store anything as the first one. */
export function actionsIn(content: string): ActionsWidget | undefined {
  if (!content.includes('"actions"')) return undefined
  try {
    const widget: unknown = JSON.parse(content)
    return isActions.Check(widget) ? widget : undefined
  } catch {
    return undefined
  }
}

/** Submessages for a client: clients of Zulip know no actions, and get a `zform` with those that send a reply. */
export function shownSubmessages<T extends { content: string }>(
  submessages: readonly T[],
  isZulipClient: boolean,
): T[] {
  const [first] = submessages
  const actions = isZulipClient && first ? actionsIn(first.content) : undefined
  if (!actions) return [...submessages]
  const form = zformOf(actions)
  return form ? [{ ...first!, content: JSON.stringify(form) }] : []
}

function zformOf({ extra_data }: ActionsWidget): ZformWidget | undefined {
  const elements = extra_data.rows.flat()
  const choices = elements.flatMap((one) =>
    one.type === 'button' && one.reply !== undefined
      ? [{ type: 'multiple_choice', short_name: one.label, long_name: one.label, reply: one.reply }]
      : [],
  )
  if (choices.length === 0) return undefined
  const links = elements.flatMap((one) => (one.type === 'button' && one.url ? [`${one.label}: ${one.url}`] : []))
  return { widget_type: 'zform', extra_data: { type: 'choices', heading: links.join('\n'), choices } }
}
