import type { GroupSettingValue } from '@parley/api/common'
import type { QueueEvent } from '@parley/api/events'
import { lookup } from '@parley/api/lookup'
import { roles } from '@parley/api/roles'
import type { Groups } from './groups.ts'
import { pick, type Slice, type State } from './state.ts'
import { roleFields, type UserChange } from './users.ts'

const own = [
  'email',
  'delivery_email',
  'full_name',
  'avatar_source',
  'avatar_url',
  'avatar_url_medium',
  'is_admin',
  'is_owner',
  'is_moderator',
  'is_guest',
] as const

/** The permissions that decide what the viewer may do, by field. */
const allowed = {
  can_create_public_streams: 'can_create_public_channel_group',
  can_create_private_streams: 'can_create_private_channel_group',
  can_create_web_public_streams: 'can_create_web_public_channel_group',
  can_invite_others_to_realm: 'can_invite_users_group',
} as const

/** The viewer's own account. */
export class Account implements Slice {
  readonly fields = [...own, 'can_create_streams', ...Object.keys(allowed)] as const
  readonly #viewer: number | undefined
  readonly #groups: Groups
  /** The current value of an organization permission. */
  readonly #permission: (name: string) => GroupSettingValue | undefined
  #state: State

  constructor(state: State, groups: Groups, permission: (name: string) => GroupSettingValue | undefined) {
    this.#viewer = state.user_id as number | undefined
    this.#groups = groups
    this.#permission = permission
    this.#state = pick(state, this.fields)
  }

  apply(event: QueueEvent): void {
    if (event.type !== 'realm_user' || event.op !== 'update' || event.person.user_id !== this.#viewer) return
    this.#state = { ...this.#state, ...ownChange(event.person) }
  }

  snapshot(): State {
    if (this.#state.email === undefined) return this.#state
    const rights = Object.entries(allowed).map(([field, name]) => [field, this.#holds(this.#permission(name), field)])
    const { can_invite_others_to_realm, ...creating } = Object.fromEntries(rights)
    const can_create_streams = Object.values(creating).includes(true)
    return { ...this.#state, can_create_streams, ...creating, can_invite_others_to_realm }
  }

  /** Guests hold none of these, even if a group contains them. */
  #holds(value: GroupSettingValue | undefined, field: string): boolean {
    if (value === undefined) return lookup(this.#state, field) === true
    if (this.#state.is_guest) return false
    if (typeof value === 'number') return this.#groups.holds(value, this.#viewer!)
    return (
      value.direct_members.includes(this.#viewer!) ||
      value.direct_subgroups.some((group) => this.#groups.holds(group, this.#viewer!))
    )
  }
}

function ownChange(change: UserChange): State {
  const { user_id: _, ...changed } = change
  if ('role' in changed) {
    const { role, ...flags } = roleFields(changed.role)
    return { ...flags, is_moderator: role === roles.moderator }
  }
  if ('new_email' in changed) return { email: changed.new_email }
  if ('delivery_email' in changed)
    return changed.delivery_email === null ? {} : { delivery_email: changed.delivery_email }
  if ('full_name' in changed) return changed
  if (!('avatar_url' in changed)) return {}
  const { avatar_version: __, ...avatar } = changed
  return avatar
}
