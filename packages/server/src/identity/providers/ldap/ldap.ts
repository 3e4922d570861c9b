import type { Entry } from 'ldapts'
import type { Realm } from '../../../callers/realm-state.ts'
import { type Context, transactIn } from '../../../context.ts'
import type { Tx } from '../../../events/transact.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { many } from '../../../platform/db/query.ts'
import { emailKey } from '../../../platform/emails.ts'
import { FairQueue } from '../../../platform/fair-queue.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { AuthenticationFailed } from '../../sign-in/accounts.ts'
import type { DirectoryAnswer, PasswordDirectories } from '../../sign-in/directory.ts'
import { enterAccount } from '../enter.ts'
import type { Claimed } from '../oidc/oidc.ts'
import { directoriesOf } from '../providers.ts'
import { requestPhoto } from './ldap-avatar.ts'
import {
  bindAsService,
  type Conversation,
  DirectoryFailed,
  type LdapDirectory,
  withDirectory,
} from './ldap-connection.ts'
import { findPeople, isPasswordOf, readClaims } from './ldap-entries.ts'

/** Counts as a failed guess: otherwise local passwords could be guessed without limit while a directory is down. */
class DirectoryUnreachable extends AuthenticationFailed {
  constructor({ name }: Pick<LdapDirectory, 'name'>) {
    super(`The directory of ${name} does not answer, so your password cannot be checked. Try again later.`, {
      code: 'SERVICE_UNAVAILABLE',
    })
  }
}

/** Directories are shared with other services, so that one server opens few connections at once. */
const checks = new FairQueue({ concurrency: 20, waitingPerOwner: 500, waitingInTotal: 2000 })

/** Stored with linked accounts. The prefix keeps directories apart from other providers with the same id. */
export function providerOf({ id }: LdapDirectory): string {
  return `ldap:${id}`
}

/** Signing in with the passwords of directories. No database connection is held while a directory answers. */
export function ldapDirectories(ctx: Context): PasswordDirectories {
  return {
    async check(realm, email, password, network) {
      const directories = directoriesOf(ctx.config, realm)
      if (directories.length === 0) return undefined
      const linked = await findLinked(ctx.db, realm.id, email, directories)
      const queried = linked ? directories.filter((one) => providerOf(one) === linked.provider) : directories
      const answer = await checks
        .run(network, () => ask(ctx, realm, queried, { email, password, subject: linked?.subject }))
        .catch((failure: unknown) => refusal(failure, queried[0]!))
      return { ...answer, isLinked: linked !== undefined }
    },
    async nameFor(db, realm, email) {
      const directories = directoriesOf(ctx.config, realm)
      const linked = directories.length > 0 ? await findLinked(db, realm.id, email, directories) : undefined
      return directories.find((one) => providerOf(one) === linked?.provider)?.name
    },
  }
}

function refusal(failure: unknown, directory: LdapDirectory): Partial<DirectoryAnswer> {
  if (!(failure instanceof ApiError)) throw failure
  return { failure: failure.code === 'SERVICE_UNAVAILABLE' ? new DirectoryUnreachable(directory) : failure }
}

/** The entry that the account with this email belongs to. */
async function findLinked(db: Db, realmId: number, email: string, directories: LdapDirectory[]) {
  const [linked] = await many<{ provider: string; subject: string }>(db)`
    select e.provider, e.subject from users u join external_identities e on e.user_id = u.id
     where u.realm_id = ${realmId} and u.email_key = ${emailKey(email.trim())} and e.realm_id = u.realm_id
       and e.provider = any(${directories.map(providerOf)}::text[])`
  return linked
}

interface Guess {
  email: string
  password: string
  /** The id of the entry that the account is linked with. */
  subject: string | undefined
}

/** Asks one directory after the other; the first that has an entry decides. */
async function ask(ctx: Context, realm: Realm, directories: LdapDirectory[], guess: Guess) {
  let failure: DirectoryUnreachable | undefined
  for (const directory of directories) {
    const found = await lookUp(ctx, directory, guess)
    if (found === 'wrong') return {}
    if (found instanceof DirectoryUnreachable) failure ??= found
    else if (found) {
      const enter = async (tx: Tx) => {
        const id = await enterAccount(tx, ctx, realm, { ...directory, id: providerOf(directory) }, found)
        await requestPhoto(tx, directory, id, found.subject)
        return id
      }
      return { userId: await transactIn(ctx, realm.id, enter) }
    }
  }
  return failure ? { failure } : {}
}

async function lookUp({ log }: Context, directory: LdapDirectory, guess: Guess) {
  const warn = (reason: string) => log.warn({ directory: directory.id, reason }, 'a directory could not be used')
  try {
    return await withDirectory(directory, (conversation) => check(conversation, directory, guess, warn))
  } catch (error) {
    if (!(error instanceof DirectoryFailed)) throw error
    warn(error.message)
    return new DirectoryUnreachable(directory)
  }
}

/** Binds once in every case, so that the time does not reveal whether there is an entry. */
async function check(
  conversation: Conversation,
  directory: LdapDirectory,
  { email, password, subject }: Guess,
  warn: (reason: string) => void,
): Promise<Claimed | 'wrong' | undefined> {
  const found = await findPeople(conversation, directory, subject === undefined ? { email } : { subject })
  if (found.length > 1) warn('two entries have the same email, so that neither can sign in')
  const entry: Entry | undefined = found.length === 1 ? found[0] : undefined
  if (!entry) await bindAsService(conversation, directory)
  const isRight = entry !== undefined && (await isPasswordOf(conversation, entry, password))
  if (entry && isRight) return (await readClaims(conversation, directory, entry, email)) ?? 'wrong'
  return found.length > 0 || subject !== undefined ? 'wrong' : undefined
}
