import { hash, verify } from '@node-rs/argon2'
import { FairQueue } from '../platform/fair-queue.ts'

/** argon2id, which is the library's default. */
const cost = { memoryCost: 64 * 1024, timeCost: 3, parallelism: 1 }

/**
 * Hashing is made to be expensive, so only two run at once. Whole offices sign in at nine in the morning: everyone of
 * one IP address may wait, and takes turns with other addresses.
 */
const hashing = new FairQueue({ concurrency: 2, waitingPerOwner: 500, waitingInTotal: 2000 })

/** What a user's own hashing waits under. */
export function hashingOwner({ id }: { id: number }): string {
  return `user ${id}`
}

/** `owner` is who the work is for: an IP address that signs in, or a user. */
export function hashPassword(password: string, owner = 'server'): Promise<string> {
  return hashing.run(owner, () => hash(password, cost))
}

let dummyHash: Promise<string> | undefined

/** Whether the password is right. An account without one costs the same time as one with a wrong one. */
export async function checkPassword(stored: string | null, password: string, owner: string): Promise<boolean> {
  dummyHash ??= hashPassword('an account that does not exist')
  const against = stored ?? (await dummyHash)
  const isRight = await hashing.run(owner, () => verify(against, password))
  return isRight && stored !== null
}
