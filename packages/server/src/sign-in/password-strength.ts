import type { ZxcvbnResult } from '@zxcvbn-ts/core'
import type { Config } from '../boot/config.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { firstCharacters, lengthOf } from '../platform/text.ts'
import { WorkerPool } from '../platform/worker-pool.ts'
import type { StrengthTask } from './strength-worker.ts'

const minLength = 6
const maxLength = 100
const minGuesses = 10_000
/** Only this many characters are estimated: the time grows faster than the length, and these are enough. */
const estimatedLength = 40

/**
 * Throws if the password is too short, or too easy to guess for an attacker who knows the words in `known`. The demo
 * accepts any password, because it gives out every user's API key anyway.
 */
export async function checkNewPassword(mode: Config['mode'], password: string, known: string[] = []): Promise<void> {
  const length = lengthOf(password)
  const required = mode === 'demo' ? 1 : minLength
  if (length < required || length > maxLength)
    throw new ApiError(`The password must have ${required} to ${maxLength} characters.`)
  if (mode === 'demo') return
  const { guesses, advice } = await estimate({ password, known, enoughGuesses: minGuesses })
  if (guesses < minGuesses) throw new ApiError(['The password is too easy to guess.', ...advice].join(' '))
}

const scores = ['Too easy to guess.', 'Weak.', 'Fair.', 'Good.', 'Strong.'] as const

/** How strong a password is, from 0 (refused) to 4, and what to do about it. */
export async function rankPassword(password: string, known: string[] = []): Promise<{ score: number; text: string }> {
  const { guesses, score, advice } = await estimate({ password, known, enoughGuesses: Number.POSITIVE_INFINITY })
  const isRefused = guesses < minGuesses || lengthOf(password) < minLength
  const rank = isRefused ? 0 : Math.max(1, score)
  return { score: rank, text: [scores[rank], ...(rank < 3 ? advice : [])].join(' ') }
}

async function estimate(task: StrengthTask) {
  const shortened = { ...task, password: firstCharacters(task.password, estimatedLength) }
  const result = await estimator.run<ZxcvbnResult>('all', shortened, deadlineMilliseconds)
  const { warning, suggestions } = result.feedback
  return { ...result, advice: [warning, ...suggestions].filter((text) => text !== null && text !== '') }
}

/** A thread of its own, because preparing the dictionaries takes up to a third of a second. */
const estimator = new WorkerPool({
  module: new URL('./strength-worker.ts', import.meta.url),
  workers: 1,
  waitingPerOwner: 1000,
})
const deadlineMilliseconds = 5000
