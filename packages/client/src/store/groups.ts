import type { QueueEvent } from '@parley/api/events'
import type { UserGroup } from '@parley/api/organization/groups'
import { deactivatedUser, withoutHolder } from './departures.ts'
import { excluding, type GroupState, including, type Slice, type State } from './state.ts'

/** The user groups, by id. */
export class Groups implements Slice {
  readonly events = ['realm_user', 'user_group'] as const
  readonly fields = ['realm_user_groups'] as const
  readonly byId = new Map<number, UserGroup>()

  constructor({ realm_user_groups = [] }: State) {
    for (const group of realm_user_groups) this.byId.set(group.id, group)
  }

  apply(event: QueueEvent): void {
    const gone = deactivatedUser(event)
    if (gone !== undefined) this.#forget(gone)
    if (event.type !== 'user_group') return
    switch (event.op) {
      case 'add':
        this.byId.set(event.group.id, event.group)
        break
      case 'add_members':
        this.#change(event.group_id, ({ members }) => ({ members: including(members, event.user_ids) }))
        break
      case 'remove_members':
        this.#change(event.group_id, ({ members }) => ({ members: excluding(members, event.user_ids) }))
        break
      case 'add_subgroups':
        this.#change(event.group_id, ({ direct_subgroup_ids: known }) => ({
          direct_subgroup_ids: including(known, event.direct_subgroup_ids),
        }))
        break
      case 'remove_subgroups':
        this.#change(event.group_id, ({ direct_subgroup_ids: known }) => ({
          direct_subgroup_ids: excluding(known, event.direct_subgroup_ids),
        }))
        break
      case 'update':
        this.#change(event.group_id, () => event.data)
        break
      case 'remove':
        this.byId.delete(event.group_id)
        break
    }
  }

  #forget(user: number): void {
    for (const [id, group] of this.byId)
      this.byId.set(id, { ...withoutHolder(group, user), members: excluding(group.members, [user]) })
  }

  /** Whether a user is in a group, directly or through its subgroups. */
  holds(groupId: number, userId: number): boolean {
    const group = this.byId.get(groupId)
    if (!group) return false
    return group.members.includes(userId) || group.direct_subgroup_ids.some((id) => this.holds(id, userId))
  }

  #change(id: number, change: (group: UserGroup) => Partial<UserGroup>): void {
    const group = this.byId.get(id)
    if (group) this.byId.set(id, { ...group, ...change(group) })
  }

  snapshot(): GroupState {
    return { realm_user_groups: [...this.byId.values()].sort((a, b) => a.id - b.id) }
  }
}
