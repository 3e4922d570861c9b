import type { ActionElement } from '@parley/api/conversations/action-widgets'
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

/** Buttons and lists of a bot, and what users answered where the bot has no endpoint. */
export interface Actions {
  type: 'actions'
  rows: ActionElement[][]
  presses: { id: number; userId: number; answer: string }[]
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
export function widgetOf(submessages: readonly Submessage[]): Poll | TodoList | Actions | undefined {
  const [first, ...actions] = submessages.toSorted((a, b) => a.id - b.id)
  const start = first ? parse(first) : {}
  if (start.widget_type === 'poll') return pollOf((start.extra_data ?? {}) as Data, actions)
  if (start.widget_type === 'todo') return todoOf((start.extra_data ?? {}) as Data, actions)
  if (start.widget_type === 'actions') return actionsOf(first!, actions)
  return undefined
}

/** The author may replace the rows later. Anything can be stored, so what has no label is left out. */
function actionsOf(first: Submessage, later: readonly Submessage[]): Actions {
  const data = [first, ...later.filter((one) => one.sender_id === first.sender_id)].map(parse)
  const latest = data.findLast(({ widget_type }) => widget_type === 'actions')!.extra_data as Data | undefined
  const rows = (Array.isArray(latest?.rows) ? latest.rows : []).filter(Array.isArray) as ActionElement[][]
  const shown = rows.map((row) => row.filter((one) => one && typeof one.id === 'string' && isShown(one)))
  const labels = new Map(shown.flat().map(({ id, label }) => [id, label]))
  const presses = later.flatMap((one) => {
    const { type, action_id, answers } = parse(one)
    if (type !== 'action') return []
    const answer = answers ? answersText(answers as Data) : (labels.get(String(action_id)) ?? String(action_id))
    return [{ id: one.id, userId: one.sender_id, answer }]
  })
  return { type: 'actions', rows: shown.filter((row) => row.length > 0), presses }
}

function isShown(one: ActionElement): boolean {
  if (typeof one.label !== 'string') return false
  if (one.type === 'select') return Array.isArray(one.options)
  return one.type === 'button' && (one.url === undefined || /^https?:\/\//.test(one.url))
}

function answersText(answers: Data): string {
  return Object.entries(answers)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(', ')
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
