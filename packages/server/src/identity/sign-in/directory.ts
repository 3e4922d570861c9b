import type { Realm } from '../../callers/realm-state.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { ApiError } from '../../platform/http/api-error.ts'

/** What the directories of the organization say about an email and password. */
export interface DirectoryAnswer {
  /** The account of the person, if the password is right. */
  userId?: number
  /** The account with this email belongs to an entry of a directory, so that its local password does not count. */
  isLinked: boolean
  /** Why the person does not get in although the password may be right. */
  failure?: ApiError
}

/** Directories such as Active Directory that know the passwords of users. */
export interface PasswordDirectories {
  /** Undefined if the organization uses no directory. */
  check(realm: Realm, email: string, password: string, network: string): Promise<DirectoryAnswer | undefined>
  /** The name of the directory that has the password of the account with this email. */
  nameFor(db: Db, realm: Realm, email: string): Promise<string | undefined>
}
