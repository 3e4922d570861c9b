import { hash, verify } from '@node-rs/argon2'
import { ApiError } from '../platform/http/api-error.ts'

/** argon2id, which is the library's default. */
const cost = { memoryCost: 64 * 1024, timeCost: 3, parallelism: 1 }
const atOnce = 2
const longestQueue = 32

let running = 0
const waiting: (() => void)[] = []

/** Hashing is made to be expensive: only a few at once, and not too many waiting. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (waiting.length >= longestQueue)
    throw new ApiError('Too many sign-ins at once; try again.', 'SERVICE_UNAVAILABLE', {
      headers: { 'Retry-After': '5' },
    })
  if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve))
  else running++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next)
      next() // hands its place over
    else running--
  }
}

export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password, cost))
}

let dummyHash: Promise<string> | undefined

/** Whether the password is right. An account without one costs the same time as one with a wrong one. */
export async function checkPassword(stored: string | null, password: string): Promise<boolean> {
  dummyHash ??= hashPassword('an account that does not exist')
  const against = stored ?? (await dummyHash)
  const right = await inTurn(() => verify(against, password))
  return right && stored !== null
}
