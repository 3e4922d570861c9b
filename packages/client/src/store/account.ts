import type { GroupSettingValue } from '@parley/api/common'
import type { QueueEvent } from '@parley/api/events'
import { lookup } from '@parley/api/lookup'
import type { RealmGroupSetting } from '@parley/api/permission-settings'
import { mayInRealm, type RealmMember } from '@parley/api/permissions'
import { roles } from '@parley/api/roles'
import type { Groups } from './groups.ts'
import type { Realm } from './realm.ts'
import { pick, type Slice, type State } from './state.ts'
import { roleFields, type UserChange, type Users } from './users.ts'

/** The user who signed in, as the evaluator of permissions needs them. */
export class Viewer implements RealmMember<GroupSettingValue | undefined> {
  /** What decides about permissions. */
  readonly events = ['realm', 'realm_user', 'user_group'] as const
  readonly id: number
  readonly realm: Realm
  readonly #users: Users
  readonly #groups: Groups

  constructor(id: number, users: Users, groups: Groups, realm: Realm) {
    this.id = id
    this.#users = users
    this.#groups = groups
    this.realm = realm
  }

  /** Viewers who do not know their own role are treated as guests. */
  get role(): number {
    return this.#users.byId.get(this.id)?.role ?? roles.guest
  }

  readonly groups = { has: (value: GroupSettingValue | undefined) => this.#isIn(value) }

  #isIn(value: GroupSettingValue | undefined): boolean {
    if (value === undefined) return false
    if (typeof value === 'number') return this.#groups.holds(value, this.id)
    return (
      value.direct_members.includes(this.id) || value.direct_subgroups.some((id) => this.#groups.holds(id, this.id))
    )
  }
}

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
} as const satisfies Record<string, RealmGroupSetting>

/** The viewer's own account. */
export class Account implements Slice {
  readonly events = ['realm', 'realm_user', 'user_group'] as const
  readonly fields = [...own, 'can_create_streams', ...Object.keys(allowed)] as const
  readonly #viewer: Viewer
  #state: State

  constructor(state: State, viewer: Viewer) {
    this.#viewer = viewer
    this.#state = pick(state, this.fields)
  }

  apply(event: QueueEvent): void {
    if (event.type !== 'realm_user' || event.op !== 'update' || event.person.user_id !== this.#viewer.id) return
    this.#state = { ...this.#state, ...ownChange(event.person) }
  }

  snapshot(): State {
    if (this.#state.email === undefined) return this.#state
    const rights = Object.entries(allowed).map(([field, name]) => [field, this.#may(name, field)])
    const { can_invite_others_to_realm, ...creating } = Object.fromEntries(rights)
    const can_create_streams = Object.values(creating).includes(true)
    return { ...this.#state, can_create_streams, ...creating, can_invite_others_to_realm }
  }

  /** Without the permissions of the organization, what the registration said stays. */
  #may(name: RealmGroupSetting, field: string): boolean {
    const { realm } = this.#viewer
    if (realm.permissions[name] === undefined) return lookup(this.#state, field) === true
    const isClosed = field === 'can_create_web_public_streams' && realm.settings.enable_spectator_access === false
    return !isClosed && mayInRealm(this.#viewer, realm, name)
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
