import { hash, verify } from '@node-rs/argon2'
import { FairQueue } from '../../platform/fair-queue.ts'

/** For argon2id, the library's default. */
const cost = { memoryCost: 64 * 1024, timeCost: 3, parallelism: 1 }

/**
 * Hashing is expensive by design, so at most two run at once. Many users behind one IP address may sign in at the same
 * time, so each IP address can queue many requests and takes turns with the others.
 */
const hashing = new FairQueue({ concurrency: 2, waitingPerOwner: 500, waitingInTotal: 2000 })

/** The queue owner for hashing on behalf of a signed-in user. */
export function hashingOwner({ id }: { id: number }): string {
  return `user ${id}`
}

/** `owner` takes turns in the queue: the IP address of a sign-in, or a user. */
export function hashPassword(password: string, owner = 'server'): Promise<string> {
  return hashing.run(owner, () => hash(password, cost))
}

let dummyHash: Promise<string> | undefined

/** Whether the password is correct. Takes the same time for accounts without a password, against timing attacks. */
export async function checkPassword(stored: string | null, password: string, owner: string): Promise<boolean> {
  dummyHash ??= hashPassword('an account that does not exist')
  const against = stored ?? (await dummyHash)
  const isCorrect = await hashing.run(owner, () => verify(against, password))
  return isCorrect && stored !== null
}
