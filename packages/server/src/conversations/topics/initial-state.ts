import { many } from '../../platform/db/query.ts'
import type { Snapshot } from '../../snapshot.ts'
import { shownTopic } from '../messages/model/normalize-text.ts'
import { policies } from '../messages/model/read-state.ts'
import { policyTopic } from './policies.ts'

interface TopicPolicy {
  stream_id: number
  channel: string
  topic_name: string
  last_updated: number
  visibility_policy: number
}

export async function userTopicState(snapshot: Snapshot): Promise<object> {
  const policies = await readPolicies(snapshot)
  return { user_topics: policies.map(({ channel: _, ...policy }) => policy) }
}

/** The legacy form, which contains only muted topics. */
export async function mutedTopicState(snapshot: Snapshot): Promise<object> {
  const muted = (await readPolicies(snapshot)).filter(({ visibility_policy }) => visibility_policy === policies.muted)
  return { muted_topics: muted.map(({ channel, topic_name, last_updated }) => [channel, topic_name, last_updated]) }
}

/** Two parts of the snapshot are made of the same rows; this reads them once. */
const policyReads = new WeakMap<Snapshot, Promise<TopicPolicy[]>>()

function readPolicies(snapshot: Snapshot): Promise<TopicPolicy[]> {
  const policies = policyReads.get(snapshot) ?? loadPolicies(snapshot)
  policyReads.set(snapshot, policies)
  return policies
}

async function loadPolicies({ db, caller, capabilities }: Snapshot): Promise<TopicPolicy[]> {
  const rows = await many<TopicPolicy>(db)`
    select c.id as stream_id, c.name as channel, ${policyTopic} as topic_name, v.visibility_policy,
           floor(extract(epoch from v.last_updated))::bigint as last_updated
      from user_topics v
      join topics t on t.realm_id = v.realm_id and t.id = v.topic_id
      join channels c on c.realm_id = t.realm_id and c.id = t.channel_id
     where v.realm_id = ${caller.realm_id} and v.user_id = ${caller.id} and not v.is_hidden and not c.is_archived
     order by c.id, t.name_key`
  const allowsEmpty = capabilities.empty_topic_name === true
  return rows.map((row) => ({ ...row, topic_name: shownTopic(row.topic_name, allowsEmpty) }))
}
