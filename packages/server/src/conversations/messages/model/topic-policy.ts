/** A topic visibility policy. 0 means that the user has none. */
export type Policy = 0 | 1 | 2 | 3

/** A user's new visibility policy for a topic. */
export interface PolicyChange {
  user_id: number
  stream_id: number
  topic_name: string
  visibility_policy: Policy
  last_updated: Date
}
