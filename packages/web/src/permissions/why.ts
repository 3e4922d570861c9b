import type { GroupSettingValue } from '@parley/api/common'
import { isAdmin, verdictOf } from '@parley/api/permissions'
import { roles } from '@parley/api/roles'
import type { Slices } from '@parley/client/store/store'
import { nameOf } from '../people/presence.ts'
import { list, t } from '../platform/i18n.ts'
import { groupText, holdersOf, reachedUsers } from './who-may.ts'

/** Why the viewer may do something or not, in sentences. */
export interface Explanation {
  isAllowed: boolean
  sentences: string[]
  /** Who could do it instead, at most a few. */
  helpers: number[]
}

type Known = Slices<'groups' | 'users' | 'viewer'>

/** Why the viewer holds a permission or not, by the evaluator that also decides. */
export function explainPermission(store: Known, value: GroupSettingValue, allowsEveryone: boolean): Explanation {
  const verdict = verdictOf(store.viewer, value, allowsEveryone)
  if (verdict === 'held') return { isAllowed: true, sentences: [heldText(store, value)], helpers: [] }
  const sentence = verdict === 'guest' ? t('why.guest') : outsideText(store, value)
  return refusal(store, sentence, [...reachedUsers(store.groups.byId, value)])
}

/** For what only owners, or only administrators, may change. */
export function explainRole(store: Slices<'users'>, role: 'owner' | 'admin'): Explanation {
  const text = t(role === 'owner' ? 'common.onlyOwners' : 'common.onlyAdministrators')
  const most = roles[role]
  return refusal(
    store,
    text,
    [...store.users.byId.values()].filter((user) => user.role <= most).map((user) => user.user_id),
  )
}

/** For what the administrators of a channel may change. */
export function explainChannelAdmin(store: Known, group: GroupSettingValue): Explanation {
  const admins = [...store.users.byId.values()].filter(isAdmin).map(({ user_id }) => user_id)
  return refusal(store, t('channel.onlyAdmins'), [...reachedUsers(store.groups.byId, group), ...admins])
}

/** A reason that does not depend on who asks. */
export function explainText(text: string): Explanation {
  return { isAllowed: false, sentences: [text], helpers: [] }
}

function heldText(store: Known, value: GroupSettingValue): string {
  const through = holdersOf(value).groups.filter((id) => store.viewer.groups.has(id))
  if (through.length === 0) return t('why.heldByName')
  return t('why.held', { groups: groupList(store, through) })
}

function outsideText(store: Known, value: GroupSettingValue): string {
  if (reachedUsers(store.groups.byId, value).size === 0) return t('why.nobody')
  const { groups, users } = holdersOf(value)
  const names = users.map((id) => nameOf(store, id))
  const holders = [...groups.map((id) => groupText(store.groups.byId.get(id))), ...names]
  return t('why.outside', { holders: list(holders) })
}

function groupList(store: Known, ids: readonly number[]): string {
  return list(ids.map((id) => groupText(store.groups.byId.get(id))))
}

const mostHelpers = 3

/** Owners come first, then the other roles in their order. */
function refusal({ users }: Slices<'users'>, sentence: string, ids: readonly number[]): Explanation {
  const helpers = [...new Set(ids)]
    .flatMap((id) => users.byId.get(id) ?? [])
    .filter(({ is_active, is_bot }) => is_active && !is_bot)
    .sort((a, b) => a.role - b.role || a.full_name.localeCompare(b.full_name))
    .slice(0, mostHelpers)
  return { isAllowed: false, sentences: [sentence], helpers: helpers.map(({ user_id }) => user_id) }
}
