import type { MessageObject, NarrowTerm } from '@parley/api/conversations/messages'
import * as messages from '@parley/api/conversations/messages'
import { sql } from 'kysely'
import { mayUseChannel } from '../../callers/credential.ts'
import type { Database } from '../../platform/db/pool.ts'
import { maybeOne } from '../../platform/db/query.ts'
import { type Agent, callOperation, ToolRefusal } from './call-operation.ts'

/** A channel outside the limits fails exactly like one that does not exist. */
export function checkChannel({ credential }: Agent, channelId: number): void {
  if (!mayUseChannel(credential, channelId)) throw new ToolRefusal('Invalid channel ID')
}

/** A message that the agent may use. One outside its channels fails like one that does not exist. */
export async function accessAgentMessage(agent: Agent, message_id: number): Promise<MessageObject> {
  const params = { path: { message_id }, apply_markdown: false, allow_empty_topic_name: true }
  const { message } = await callOperation(agent, messages.getMessage, params)
  return message
}

/** Where an agent searches: in one channel, or in each of those that it may use. */
export function placesOf(agent: Agent, channelId: number | undefined): NarrowTerm[][] {
  if (channelId !== undefined) checkChannel(agent, channelId)
  const allowed = channelId === undefined ? agent.credential.agent!.channel_ids : [channelId]
  return allowed === null ? [[]] : allowed.map((id) => [{ operator: 'channel', operand: id }])
}

/** Counts a message against the budget of this hour. */
export async function spend(db: Database, { credential, realmId }: Agent): Promise<void> {
  const { messages_per_hour } = credential.agent!
  const spent = await maybeOne<{ agent_sends: number }>(db)`
    update credentials
       set agent_sends = case when agent_hour = ${thisHour} then agent_sends + 1 else 1 end, agent_hour = ${thisHour}
     where realm_id = ${realmId} and id = ${credential.id}
       and ${messages_per_hour} > case when agent_hour = ${thisHour} then agent_sends else 0 end
    returning agent_sends`
  if (!spent)
    throw new ToolRefusal(`This agent may send ${messages_per_hour} messages an hour. Wait for the next hour.`)
}

const thisHour = sql`date_trunc('hour', now())`

/** That someone pressed Stop is said once, by the next tool, unless that was long ago. */
export async function refuseIfStopped(db: Database, { credential, realmId }: Agent): Promise<void> {
  const stopped = await maybeOne<{ stop: { name: string; topic?: string; at: number } }>(db)`
    update credentials c set agent_stop = null
      from (select id, agent_stop as stop from credentials
             where realm_id = ${realmId} and id = ${credential.id} for update) as before
     where c.realm_id = ${realmId} and c.id = before.id and before.stop is not null
    returning before.stop`
  if (!stopped || Date.now() - stopped.stop.at > 600_000) return
  const { name, topic } = stopped.stop
  const place = topic === undefined ? '' : ` in the topic ${JSON.stringify(topic)}`
  throw new ToolRefusal(
    `The user ${JSON.stringify(name)} asks you to stop${place}. Do nothing more there, and say what you have done so far.`,
  )
}
