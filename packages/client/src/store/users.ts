import type { QueueEvent } from '@parley/api/events'
import { roles } from '@parley/api/roles'
import type { Slice, State, UserState } from './state.ts'

export type StoredUser = UserState['realm_users'][number] & { is_active: boolean }
export type SystemBot = UserState['cross_realm_bots'][number]

/** The users visible to the viewer, by id. */
export class Users implements Slice {
  readonly events = ['custom_profile_fields', 'realm_user'] as const
  readonly fields = ['realm_users', 'realm_non_active_users', 'cross_realm_bots'] as const
  readonly byId = new Map<number, StoredUser>()
  readonly systemBots: SystemBot[]

  constructor({ realm_users = [], realm_non_active_users = [], cross_realm_bots = [] }: State) {
    for (const user of realm_users) this.byId.set(user.user_id, { ...user, is_active: true })
    for (const user of realm_non_active_users) this.byId.set(user.user_id, { ...user, is_active: false })
    this.systemBots = cross_realm_bots
  }

  apply(event: QueueEvent): void {
    if (event.type === 'custom_profile_fields') this.#keepFields(event.fields.map(({ id }) => String(id)))
    if (event.type !== 'realm_user') return
    const { person } = event
    if (event.op === 'add') this.byId.set(person.user_id, event.person)
    if (event.op === 'remove') this.byId.delete(person.user_id)
    const known = this.byId.get(person.user_id)
    if (event.op === 'update' && known) this.byId.set(person.user_id, changedUser(known, event.person))
  }

  /** Deleting a profile field deletes its values. */
  #keepFields(ids: string[]): void {
    for (const [id, user] of this.byId) {
      if (!user.profile_data) continue
      const kept = Object.entries(user.profile_data).filter(([field]) => ids.includes(field))
      this.byId.set(id, { ...user, profile_data: Object.fromEntries(kept) })
    }
  }

  snapshot(): UserState {
    const users = [...this.byId.values()].sort((a, b) => a.user_id - b.user_id)
    return {
      realm_users: users.filter(({ is_active }) => is_active).map(listed),
      realm_non_active_users: users.filter(({ is_active }) => !is_active).map(listed),
      cross_realm_bots: this.systemBots,
    }
  }
}

export type UserChange = Extract<QueueEvent, { type: 'realm_user'; op: 'update' }>['person']

function changedUser(user: StoredUser, change: UserChange): StoredUser {
  if ('role' in change) return { ...user, ...roleFields(change.role) }
  if ('new_email' in change) return { ...user, email: change.new_email }
  if ('avatar_url' in change) return { ...user, avatar_url: change.avatar_url, avatar_version: change.avatar_version }
  if ('custom_profile_field' in change) return { ...user, profile_data: changedProfile(user, change) }
  return { ...user, ...change }
}

export function roleFields(role: StoredUser['role']) {
  return { role, is_owner: role === roles.owner, is_admin: role <= roles.admin, is_guest: role === roles.guest }
}

type FieldChange = Extract<UserChange, { custom_profile_field: unknown }>

function changedProfile({ profile_data = {} }: StoredUser, { custom_profile_field: field }: FieldChange) {
  const { [field.id]: _, ...others } = profile_data
  if (field.value === null) return others
  const { value, rendered_value } = field
  return { ...others, [field.id]: { value, ...(rendered_value !== undefined && { rendered_value }) } }
}

function listed({ is_active: _, ...user }: StoredUser): UserState['realm_users'][number] {
  return user
}
