import type { Browser } from 'playwright-core'
import { fillIds } from '../fill-ids.ts'
import type { Stage } from '../stage.ts'
import { uploadFiles } from './files.ts'
import { forms } from './forms.ts'
import { day, type Line, type Topics } from './line.ts'
import { prepareOrganization, preparePeople } from './people.ts'
import { direct, talk, unread } from './talk.ts'

/** Minutes before the frozen moment, by message. */
type Times = Map<number, number>

/** Everything that the states show. The order decides what is unread, and which ids the messages have. */
export async function fillStage(stage: Stage, browser: Browser): Promise<void> {
  await preparePeople(stage)
  await uploadFiles(stage, browser)
  const times: Times = new Map()
  for (const [topic, lines] of topicsOf(forms, talk)) await say(stage, inTopic(topic), lines, times)
  for (const person of ['member', 'owner', 'newcomer']) await (await stage.as(person)).post('/mark_all_as_read')
  for (const [topic, lines] of topicsOf(unread)) await say(stage, inTopic(topic), lines, times)
  await say(stage, { type: 'direct', to: [stage.ids.get('person member')] }, direct, times)
  await prepareOrganization(stage)
  await setTimes(stage, times)
}

const topicsOf = (...all: Topics[]) => all.flatMap((topics) => Object.entries(topics))
const inTopic = (topic: string) => ({ type: 'stream', to: 'design', topic })

async function say(stage: Stage, to: Record<string, unknown>, lines: Line[], times: Times): Promise<void> {
  let ago = 0
  for (const line of lines) {
    const api = await stage.as(line.from)
    const { id } = await api.post('/messages', { ...to, content: fillIds(line.text, stage.ids), read_by_sender: true })
    if (line.key) stage.ids.set(`message ${line.key}`, Number(id))
    ago = line.ago ?? ago - 1
    times.set(Number(id), ago)
    await decorate(stage, Number(id), line)
  }
}

async function decorate(stage: Stage, id: number, { from, editedTo, reactions = {}, votes = [] }: Line): Promise<void> {
  if (editedTo) await (await stage.as(from)).patch(`/messages/${id}`, { content: editedTo })
  for (const [emoji_name, people] of Object.entries(reactions))
    for (const person of people) await (await stage.as(person)).post(`/messages/${id}/reactions`, { emoji_name })
  for (const [option, people] of votes.entries())
    for (const person of people) {
      const content = JSON.stringify({ type: 'vote', key: `canned,${option}`, vote: 1 })
      await (await stage.as(person)).post('/submessage', { message_id: id, msg_type: 'widget', content })
    }
}

/** The messages of the demo itself were sent the day before. */
async function setTimes(stage: Stage, times: Times): Promise<void> {
  await stage.sql(
    `update messages set date_sent = to_timestamp($1) - make_interval(mins => $2) + make_interval(mins => (id % 300)::int)`,
    [stage.start, day + 300],
  )
  await stage.sql(
    `update messages m set date_sent = to_timestamp($1) - make_interval(mins => t.ago)
       from unnest($2::int[], $3::int[]) as t(id, ago) where m.id = t.id`,
    [stage.start, [...times.keys()], [...times.values()]],
  )
}
