import { randomBytes } from 'node:crypto'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Realm } from '../../callers/realm-state.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { checkJsonShape } from '../../platform/http/json-shape.ts'
import type { Vault } from '../../platform/secrets.ts'
import { spendChallenge } from './challenges.ts'
import { codesForFirstFactor } from './recovery-codes.ts'
import { checkRemaining } from './requirement.ts'

/** Where passkeys of a realm work: browsers bind them to the host name. */
export interface Site {
  rpId: string
  origin: string
}

export class BadPasskey extends ApiError {
  constructor() {
    super('This passkey does not work here. Try again, or sign in with your password.', 'AUTHENTICATION_FAILED')
  }
}

interface Challenge {
  realmId: number
  /** Who asked for it; null on the sign-in page. */
  userId: number | null
  challenge: string
  until: number
}

const minutes = 10
type Purpose = 'add a passkey' | 'sign in with a passkey'

/** What a page passes to the browser, and the sealed challenge that comes back with the answer. */
export interface PasskeyRequest {
  kind: 'create' | 'get'
  options: object
  sealed: string
}

function newChallenge(vault: Vault, purpose: Purpose, realmId: number, userId: number | null) {
  const challenge = randomBytes(32).toString('base64url')
  const until = Date.now() + minutes * 60_000
  return { challenge, sealed: vault.sealToken(purpose, { realmId, userId, challenge, until } satisfies Challenge) }
}

function openChallenge(vault: Vault, purpose: Purpose, realmId: number, userId: number | null, sealed: string): string {
  const found = vault.openToken(purpose, sealed) as Challenge | undefined
  if (found?.realmId !== realmId || found.userId !== userId || found.until < Date.now()) throw new BadPasskey()
  return found.challenge
}

/** ES256, EdDSA and RS256: what browsers and security keys have. */
const algorithms = [-7, -8, -257]

interface Owner {
  id: number
  realm_id: number
  email: string
  full_name: string
}

/** The id of the account inside the passkey. It contains nothing personal. */
function handleOf({ realm_id, id }: Pick<Owner, 'id' | 'realm_id'>): string {
  return Buffer.from(`${realm_id} ${id}`).toString('base64url')
}

/** Asks the browser for a new passkey, with which its owner can sign in without typing an email. */
export async function requestNewPasskey(
  { db, vault }: Context,
  site: Site,
  name: string,
  owner: Owner,
): Promise<PasskeyRequest> {
  const { challenge, sealed } = newChallenge(vault, 'add a passkey', owner.realm_id, owner.id)
  const options = {
    rp: { id: site.rpId, name },
    user: { id: handleOf(owner), name: owner.email, displayName: owner.full_name },
    challenge,
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout: minutes * 60_000,
    attestation: 'none',
    excludeCredentials: (await passkeysOf(db, owner)).map(descriptorOf),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  }
  return { kind: 'create', options, sealed }
}

/** Asks the browser to sign in: with any passkey of this site, or with one of the account's. */
export async function requestPasskey(
  { db, vault }: Context,
  site: Site,
  realmId: number,
  account?: Pick<Owner, 'id' | 'realm_id'>,
): Promise<PasskeyRequest> {
  const { challenge, sealed } = newChallenge(vault, 'sign in with a passkey', realmId, account?.id ?? null)
  const allowCredentials = account ? (await passkeysOf(db, account)).map(descriptorOf) : []
  const options = {
    challenge,
    rpId: site.rpId,
    timeout: minutes * 60_000,
    userVerification: 'required',
    allowCredentials,
  }
  return { kind: 'get', options, sealed }
}

export function passkeysOf(db: Db, { realm_id, id }: Pick<Owner, 'id' | 'realm_id'>) {
  return db
    .selectFrom('passkeys')
    .selectAll()
    .where(matches({ realm_id, user_id: id }))
    .orderBy('id')
    .execute()
}

type Stored = Awaited<ReturnType<typeof passkeysOf>>[number]

function descriptorOf({ credential_id, transports }: Stored) {
  return { type: 'public-key', id: credential_id.toString('base64url'), transports }
}

/** Both are JSON that the browser made; anything else is refused by the library or here. */
interface Answer {
  sealed: string
  response: string
}

function parse<T>(response: string): T {
  try {
    checkJsonShape('response', response)
    return JSON.parse(response) as T
  } catch {
    throw new BadPasskey()
  }
}

/** Whatever the library dislikes about an answer, it is no passkey of this site. Loaded with the first passkey. */
async function verified<T extends { verified: boolean }>(
  verify: (library: typeof import('@simplewebauthn/server')) => Promise<T>,
): Promise<T & { verified: true }> {
  const library = await import('@simplewebauthn/server')
  const result = await verify(library).catch(() => undefined)
  if (!result?.verified) throw new BadPasskey()
  return result as T & { verified: true }
}

const most = 20

/** Stores a new passkey. Returns recovery codes if it is the first second factor of the account. */
export async function addPasskey(
  tx: Tx,
  vault: Vault,
  site: Site,
  owner: Owner,
  { sealed, response }: Answer,
  name: string,
): Promise<string[]> {
  const expectedChallenge = openChallenge(vault, 'add a passkey', tx.realmId, owner.id, sealed)
  const { registrationInfo } = await verified((library) =>
    library.verifyRegistrationResponse({
      response: parse<RegistrationResponseJSON>(response),
      expectedChallenge,
      requireUserVerification: true,
      expectedOrigin: site.origin,
      expectedRPID: site.rpId,
      supportedAlgorithmIDs: algorithms,
    }),
  )
  const { id, publicKey, counter, transports = [] } = registrationInfo!.credential
  if ((await passkeysOf(tx.db, owner)).length >= most) throw new ApiError(`You can have at most ${most} passkeys.`)
  await tx.db
    .insertInto('passkeys')
    .values({
      realm_id: tx.realmId,
      user_id: owner.id,
      name,
      sign_count: counter,
      transports,
      credential_id: Buffer.from(id, 'base64url'),
      public_key: Buffer.from(publicKey),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirstOrThrow(() => new ApiError('This passkey has already been added.'))
  await tx.audit(owner.id, 'passkey_added', { user_id: owner.id, name })
  await tx.enqueue('send_mail', { user_id: owner.id, template: 'second_factor_changed', change: 'passkey_added' })
  return codesForFirstFactor(tx, owner.id)
}

export async function removePasskey(tx: Tx, realm: Realm, user_id: number, id: number): Promise<void> {
  const own = matches({ realm_id: tx.realmId, user_id, id })
  const removed = await tx.db.deleteFrom('passkeys').where(own).returning('name').executeTakeFirst()
  if (!removed) throw new ApiError('You have no such passkey.')
  await checkRemaining(tx, realm, user_id)
  await tx.audit(user_id, 'passkey_removed', { user_id, name: removed.name })
  await tx.enqueue('send_mail', { user_id, template: 'second_factor_changed', change: 'passkey_removed' })
}

/**
 * The id of the user whose passkey this is. With `userId`, it must be one of theirs. Each challenge is accepted once, so
 * that an answer cannot be replayed.
 */
export async function usePasskey(
  tx: Tx,
  vault: Vault,
  site: Site,
  { sealed, response }: Answer,
  userId: number | null,
): Promise<number> {
  const expectedChallenge = openChallenge(vault, 'sign in with a passkey', tx.realmId, userId, sealed)
  const answer = parse<AuthenticationResponseJSON>(response)
  const passkey = await findPasskey(tx, String(answer?.id))
  if (!passkey || (userId !== null && passkey.user_id !== userId)) throw new BadPasskey()
  const handle = answer.response?.userHandle
  if (handle && handle !== handleOf({ realm_id: tx.realmId, id: passkey.user_id })) throw new BadPasskey()
  const { authenticationInfo } = await verified((library) =>
    library.verifyAuthenticationResponse({
      response: answer,
      expectedChallenge,
      requireUserVerification: true,
      expectedOrigin: site.origin,
      expectedRPID: site.rpId,
      credential: toLibrary(passkey),
    }),
  )
  if (!(await spendChallenge(tx, expectedChallenge))) throw new BadPasskey()
  await tx.db
    .updateTable('passkeys')
    .set({ sign_count: authenticationInfo.newCounter, used_at: new Date() })
    .where(matches({ realm_id: tx.realmId, id: passkey.id }))
    .execute()
  return passkey.user_id
}

/** Locked, so that of two answers with the same counter one is refused. */
function findPasskey(tx: Tx, id: string): Promise<Stored | undefined> {
  const credential_id = Buffer.from(id, 'base64url')
  const named = tx.db
    .selectFrom('passkeys')
    .selectAll()
    .where(matches({ realm_id: tx.realmId, credential_id }))
  return named.forUpdate().executeTakeFirst()
}

function toLibrary({ credential_id, public_key, sign_count }: Stored) {
  const id = credential_id.toString('base64url')
  return { id, publicKey: new Uint8Array(public_key), counter: sign_count }
}
