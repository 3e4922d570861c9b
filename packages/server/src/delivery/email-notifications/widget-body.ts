import { say } from '../../platform/html.ts'
import type { Write } from '../../platform/translations.ts'
import { type Body, bodyOf } from './message-body.ts'
import type { Simple } from './simplify.ts'

interface Widget {
  widget_type?: unknown
  extra_data?: { question?: unknown; options?: unknown; task_list_title?: unknown; tasks?: unknown }
}

/** A poll or task list as its question and what can be chosen, instead of the command that created it. */
export function widgetBody(submessages: { content: string }[], write: Write): Body | undefined {
  const widget = parsed(submessages[0]?.content)
  const data = widget?.extra_data
  if (widget?.widget_type === 'poll') return listOf(write(say('Poll')), data?.question, textsIn(data?.options))
  if (widget?.widget_type !== 'todo') return undefined
  const tasks = Array.isArray(data?.tasks) ? data.tasks.map((one: { task?: unknown }) => one?.task) : []
  return listOf(write(say('Task list')), data?.task_list_title, textsIn(tasks))
}

/** Submessages come from clients. */
function parsed(content = ''): Widget | undefined {
  try {
    return JSON.parse(content) ?? undefined
  } catch {
    return undefined
  }
}

function textsIn(values: unknown): string[] {
  return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : []
}

function listOf(kind: string, title: unknown, entries: string[]): Body {
  const text = typeof title === 'string' && title !== '' ? `${kind}: ${title}` : kind
  const items: Simple[] = entries.map((entry) => ({ name: 'li', children: [entry] }))
  const list: Simple[] = items.length > 0 ? [{ name: 'ul', children: items }] : []
  return bodyOf([{ name: 'p', children: [{ name: 'strong', children: [text] }] }, ...list])
}
