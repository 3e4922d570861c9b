import * as api from '@parley/api/conversations/editing'
import * as messages from '@parley/api/conversations/messages'
import type { ParamsOf } from '@parley/api/operation'
import { sql } from 'kysely'
import type { Actor } from './actor.ts'
import type { World } from './world.ts'

type Edit = Partial<ParamsOf<typeof api.editMessage>> & Record<string, unknown>

export function edits(actor: Actor, id: number, edit: Edit) {
  return actor.does(api.editMessage, { path: { message_id: id }, ...edit } as never)
}

export function mayNotEdit(actor: Actor, id: number, edit: Record<string, unknown>) {
  return actor.isRefused(api.editMessage, { path: { message_id: id }, ...edit })
}

export async function sees(actor: Actor, id: number, allow_empty_topic_name = true) {
  const path = { message_id: id }
  return (await actor.does(messages.getMessage, { path, allow_empty_topic_name })).message
}

/** The ids of the messages that an actor sees in a topic. */
export async function topicOf(actor: Actor, channel: string, topic: string): Promise<number[]> {
  const narrow = [
    ['channel', channel],
    ['topic', topic],
  ]
  const answer = await actor.does(messages.getMessages, { narrow, anchor: 'newest', num_before: 1000 })
  return answer.messages.map(({ id }) => id)
}

/** Backdates messages by this many seconds. */
export async function age({ ctx, realmId }: World, ids: number[], seconds: number): Promise<void> {
  await sql`
    update messages set date_sent = now() - make_interval(secs => ${seconds})
     where realm_id = ${realmId} and id = any(${ids}::bigint[])`.execute(ctx.db)
}
