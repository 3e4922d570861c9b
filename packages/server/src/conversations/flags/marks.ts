import type { Fragment } from '../../platform/db/fragment.ts'
import { valueRows } from '../../platform/db/value-rows.ts'

/** A message, and the user whose flags for it change. */
export interface Mark {
  user_id: number
  message_id: number
}

/** What one act marks. */
export interface Marks {
  user_id: number
  ids: number[]
}

export function marksOf({ user_id, ids }: Marks): Mark[] {
  return ids.map((message_id) => ({ user_id, message_id }))
}

export function markRows(alias: string, marks: Mark[]): Fragment {
  return valueRows(alias, marks, { user_id: 'bigint', message_id: 'bigint' })
}
