import { nameLimits } from '@parley/api/limits'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { lengthOf } from '../../platform/text.ts'

const maxNameLength = nameLimits.userGroup
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
  const same = matches({ realm_id: realmId, name })
  const found = await db.selectFrom('user_groups').select('id').where(same).executeTakeFirst()
  if (found) throw new ApiError(`User group '${name}' already exists.`)
}
