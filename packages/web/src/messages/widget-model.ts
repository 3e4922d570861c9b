import type { ShownMessage } from '@parley/client/messages/cache'
import { t } from '../platform/i18n.ts'

export interface PollOption {
  key: string
  text: string
  voters: number[]
}

export interface Poll {
  type: 'poll'
  question: string
  options: PollOption[]
}

export interface Task {
  key: string
  text: string
  description: string
  isDone: boolean
}

export interface TodoList {
  type: 'todo'
  title: string
  tasks: Task[]
}

type Data = Record<string, unknown>
type Submessage = ShownMessage['submessages'][number]

function parse({ content }: Submessage): Data {
  try {
    return JSON.parse(content)
  } catch {
    return {}
  }
}

/** The state of a poll or to-do list: how it began, and every action since in order. */
export function widgetOf(submessages: readonly Submessage[]): Poll | TodoList | undefined {
  const [first, ...actions] = submessages.toSorted((a, b) => a.id - b.id)
  const start = first ? parse(first) : {}
  if (start.widget_type === 'poll') return pollOf((start.extra_data ?? {}) as Data, actions)
  if (start.widget_type === 'todo') return todoOf((start.extra_data ?? {}) as Data, actions)
  return undefined
}

function pollOf(data: Data, actions: readonly Submessage[]): Poll {
  const texts = (data.options ?? []) as string[]
  const poll: Poll = {
    type: 'poll',
    question: String(data.question ?? ''),
    options: texts.map((text, index) => ({ key: `canned,${index}`, text, voters: [] })),
  }
  for (const action of actions) applyToPoll(poll, parse(action), action.sender_id)
  return poll
}

function applyToPoll(poll: Poll, { type, option, idx, question, key, vote }: Data, sender: number): void {
  if (type === 'question') poll.question = String(question)
  if (type === 'new_option' && !poll.options.some(({ text }) => text === option))
    poll.options.push({ key: `${sender},${idx}`, text: String(option), voters: [] })
  const chosen = type === 'vote' ? poll.options.find((one) => one.key === key) : undefined
  if (!chosen) return
  const others = chosen.voters.filter((one) => one !== sender)
  chosen.voters = vote === 1 ? [...others, sender] : others
}

function todoOf(data: Data, actions: readonly Submessage[]): TodoList {
  const tasks = (data.tasks ?? []) as { task: string; desc: string }[]
  const list: TodoList = {
    type: 'todo',
    title: String(data.task_list_title || t('widget.taskList')),
    tasks: tasks.map(({ task, desc }, index) => ({
      key: `${index},canned`,
      text: task,
      description: desc,
      isDone: false,
    })),
  }
  for (const action of actions) applyToList(list, parse(action), action.sender_id)
  return list
}

function applyToList(list: TodoList, { type, key, task, desc, title }: Data, sender: number): void {
  if (type === 'new_task_list_title') list.title = String(title)
  if (type === 'new_task')
    list.tasks.push({ key: `${key},${sender}`, text: String(task), description: String(desc), isDone: false })
  const struck = type === 'strike' ? list.tasks.find((one) => one.key === key) : undefined
  if (struck) struck.isDone = !struck.isDone
}

/** A number that the viewer has not used yet for an option or a task of the message. */
export function nextIndex(submessages: readonly Submessage[], viewerId: number): number {
  return submessages.filter(({ sender_id }) => sender_id === viewerId).length + 1
}
