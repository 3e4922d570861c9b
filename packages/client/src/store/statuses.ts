import type { QueueEvent } from '@parley/api/events'
import type { UserStatus } from '@parley/api/people/status'
import { removedUser } from './departures.ts'
import type { Slice, State, StatusState } from './state.ts'

/** The statuses of users by id, without empty ones. */
export class Statuses implements Slice {
  readonly events = ['realm_user', 'user_status'] as const
  readonly fields = ['user_status'] as const
  readonly byUser = new Map<number, UserStatus>()

  constructor({ user_status = {} }: State) {
    for (const [id, status] of Object.entries(user_status)) this.byUser.set(Number(id), status)
  }

  apply(event: QueueEvent): void {
    const gone = removedUser(event)
    if (gone !== undefined) this.byUser.delete(gone)
    if (event.type !== 'user_status') return
    const { id: _, type: __, user_id, ...change } = event
    const status = withoutEmpty({ ...this.byUser.get(user_id), ...change })
    if (Object.keys(status).length === 0) this.byUser.delete(user_id)
    else this.byUser.set(user_id, status)
  }

  snapshot(): StatusState {
    return { user_status: Object.fromEntries(this.byUser) }
  }
}

/** Removes empty fields, without an emoji all emoji fields, and the end of a status that is empty. */
function withoutEmpty(status: UserStatus): UserStatus {
  const { emoji_name, emoji_code, reaction_type, scheduled_end_time, ...others } = status
  const emoji = emoji_name ? { emoji_name, emoji_code, reaction_type } : {}
  const end = scheduled_end_time && (emoji_name || others.status_text) ? { scheduled_end_time } : {}
  const fields = Object.entries({ ...others, ...emoji, ...end }).filter(([, value]) => value !== '' && value !== false)
  return Object.fromEntries(fields)
}
