import { apiEmail } from '../../../callers/api-email.ts'
import type { Caller } from '../../../callers/caller.ts'
import { fakeDomain } from '../../../callers/realm-state.ts'
import { findUsers } from '../../../people/users/find-users.ts'
import { unknownUser } from '../../../people/users/queries.ts'
import { avatarUrl, hasPublicGravatar } from '../../../people/users/user-object.ts'
import { isVisibleUser, seesAllUsers } from '../../../people/users/visibility/visible-users.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { column } from '../../../platform/db/query.ts'

/** A user as messages show them. */
export interface Author {
  id: number
  email: string
  full_name: string
  avatar_url: string | null
}

/** The users with these ids as the caller may see them. Users hidden from the caller show neither name nor email. */
export async function readAuthors(
  db: Db,
  caller: Caller,
  ids: number[],
  clientGravatar: boolean,
): Promise<Map<number, Author>> {
  const host = fakeDomain(caller.realm)
  const users = await findUsers(db, caller.state, ids)
  const authors = users.map((user) => ({
    id: user.id,
    email: apiEmail(user, host),
    full_name: user.full_name,
    avatar_url: clientGravatar && hasPublicGravatar(user) ? null : avatarUrl(user, host),
  }))
  const hidden = await hiddenAmong(db, caller, ids)
  return new Map(
    authors.map((author) => [author.id, hidden.has(author.id) ? unknownAuthor(author.id, caller) : author]),
  )
}

/** The ids of users that are hidden from the caller. */
export async function hiddenAmong(db: Db, caller: Caller, ids: number[]): Promise<Set<number>> {
  if (seesAllUsers(caller)) return new Set()
  const foundIds = await column<number>(db)`
    select u.id from users u
     where u.realm_id = ${caller.realm_id} and u.id = any(${ids}::bigint[]) and not ${isVisibleUser(caller)}`
  return new Set(foundIds)
}

function unknownAuthor(id: number, caller: Caller): Author {
  const { email, full_name, avatar_url } = unknownUser(id, caller)
  return { id, email, full_name, avatar_url: avatar_url ?? null }
}
