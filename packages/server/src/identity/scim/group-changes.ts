import { idIn } from './list.ts'
import { type Change, isJson, textIn } from './patch.ts'
import { ScimError } from './scim-error.ts'

/** What a provider wants a group to be. */
export interface WantedGroup {
  displayName?: string | null
  externalId?: string | null
  members: Set<number>
}

/** Applies changes to the members and names of a group. */
export function applyToGroup(before: WantedGroup, changes: Change[]): WantedGroup {
  const wanted = { ...before, members: new Set(before.members) }
  for (const change of changes) {
    const { attribute } = change.path
    if (attribute === 'displayname') wanted.displayName = textIn(change)
    else if (attribute === 'externalid') wanted.externalId = textIn(change)
    else if (attribute === 'members') applyMembers(wanted, change)
    else if (attribute !== '') throw new ScimError(`Groups have no attribute ${attribute}.`, 'invalidPath')
  }
  return wanted
}

/** Removes one member by filter, those that are listed, or all. */
function applyMembers({ members }: WantedGroup, { op, path, value }: Change): void {
  if (path.filter && op !== 'remove') throw new ScimError('The attributes of members cannot be changed.', 'invalidPath')
  const ids = path.filter ? path.filter.map((one) => memberId(one.value)) : memberIds(value)
  if (op === 'replace' || (op === 'remove' && !path.filter && value == null)) members.clear()
  for (const id of ids) {
    if (op === 'remove') members.delete(id)
    else members.add(id)
  }
}

function memberIds(value: unknown): number[] {
  if (value === undefined || value === null) return []
  return (Array.isArray(value) ? value : [value]).map((one: unknown) => {
    if (isJson(one) && typeof one.type === 'string' && one.type.toLowerCase() === 'group')
      throw new ScimError('Groups within groups are not supported.', 'invalidValue')
    return memberId(isJson(one) ? one.value : one)
  })
}

function memberId(value: unknown): number {
  const id = idIn(value)
  if (id === 0) throw new ScimError(`There is no user ${String(value).slice(0, 50)}.`, 'invalidValue')
  return id
}
