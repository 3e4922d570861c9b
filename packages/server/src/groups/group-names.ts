import type { Db } from '../platform/db/pool.ts'
import { exists } from '../platform/db/query.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { lengthOf } from '../platform/text.ts'

const maxNameLength = 100
/** Prefixes that have another meaning. */
const reserved = ['@', 'role:', 'user:', 'stream:', 'channel:']

export function checkGroupName(name: string): void {
  if (name.trim() === '') throw new ApiError("User group name can't be empty!")
  if (lengthOf(name) > maxNameLength) throw new ApiError(`User group name cannot exceed ${maxNameLength} characters.`)
  const prefix = reserved.find((one) => name.startsWith(one))
  if (prefix) throw new ApiError(`User group name cannot start with '${prefix}'.`)
}

/** Names are unique and case-sensitive; deactivated groups keep theirs. Groups must be locked (lockGroups). */
export async function checkFreeName(db: Db, realmId: number, name: string): Promise<void> {
  const found = await exists(db)`select 1 from user_groups where realm_id = ${realmId} and name = ${name}`
  if (found) throw new ApiError(`User group '${name}' already exists.`)
}
