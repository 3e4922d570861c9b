import { sendMessage } from '@parley/api/conversations/messages'
import type { Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'
import { accessAgentMessage, checkChannel, spend } from './agent-limits.ts'
import { type Agent, callOperation, ToolRefusal } from './call-operation.ts'
import { listResult } from './results.ts'

interface Field {
  name: string
  label: string
  type: 'text' | 'date' | 'checkbox'
}

export interface Question {
  channel_id?: number
  topic?: string
  question?: string
  options?: string[]
  fields?: Field[]
  message_id?: number
  idempotency_key: string
}

/** Asks the readers of a topic, by buttons or a form. Called again with the id of the message, it reads their answers. */
export async function askUser(agent: Agent, input: Question, db: Parameters<typeof spend>[0]): Promise<string> {
  if (input.message_id !== undefined) return readAnswers(agent, input.message_id, db)
  const { channel_id, topic, question, options = [], fields = [] } = input
  if (channel_id === undefined || topic === undefined || question === undefined)
    throw new ToolRefusal('Give channel_id, topic and question, or the message_id of a question.')
  if (options.length > 0 === fields.length > 0) throw new ToolRefusal('Give options or fields.')
  checkChannel(agent, channel_id)
  await spend(db, agent)
  const { id } = await callOperation(
    agent,
    sendMessage,
    {
      type: 'channel',
      to: channel_id,
      topic,
      content: question,
      widget_content: { widget_type: 'actions', extra_data: { rows: rowsOf(options, fields) } },
      client: `agent ${agent.credential.name}`,
    } as never,
    input.idempotency_key,
  )
  return JSON.stringify({ message_id: id })
}

const perRow = 5

/** Clients that know no actions send the option as a message. */
function rowsOf(options: string[], fields: Field[]) {
  if (fields.length > 0) {
    const form = { title: 'Answer', fields: fields.map((field) => ({ ...field, required: field.type !== 'checkbox' })) }
    return [[{ type: 'button', id: 'answer', label: 'Answer', style: 'primary', form }]]
  }
  const buttons = options.map((label) => ({ type: 'button', id: label, label, call: true, reply: label }))
  return Array.from({ length: Math.ceil(buttons.length / perRow) }, (_, row) =>
    buttons.slice(row * perRow, (row + 1) * perRow),
  )
}

async function readAnswers(agent: Agent, message_id: number, db: Db): Promise<string> {
  const message = await accessAgentMessage(agent, message_id)
  if (message.sender_id !== agent.userId) throw new ToolRefusal('This is not a question of yours.')
  const found = await many<{ sender_id: number; full_name: string; content: string }>(db)`
    select s.sender_id, u.full_name, s.content from submessages s
      join users u on u.realm_id = s.realm_id and u.id = s.sender_id
     where s.realm_id = ${agent.realmId} and s.message_id = ${message_id} and s.content like '{"type":"action",%'
     order by s.id`
  return listResult(
    'answers',
    found.map(({ sender_id, full_name, content }) => {
      const { action_id, answers } = JSON.parse(content)
      return { user: { id: sender_id, name: full_name }, answer: answers ?? action_id }
    }),
  )
}
