import type { QueueEvent } from '@parley/api/events'
import type { MutedUserState, Slice, State } from './state.ts'

/** The users that the viewer has muted. */
export class MutedUsers implements Slice {
  readonly events = ['muted_users'] as const
  readonly fields = ['muted_users'] as const
  list: MutedUserState['muted_users']

  constructor({ muted_users = [] }: State) {
    this.list = muted_users
  }

  apply(event: QueueEvent): void {
    if (event.type === 'muted_users') this.list = event.muted_users
  }

  has(userId: number): boolean {
    return this.list.some(({ id }) => id === userId)
  }

  snapshot(): MutedUserState {
    return { muted_users: this.list }
  }
}
