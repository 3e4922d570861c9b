import type { ZxcvbnResult } from '@zxcvbn-ts/core'
import type { Config } from '../../config.ts'
import { FairQueue } from '../../platform/fair-queue.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { moduleUrl } from '../../platform/installation.ts'
import { firstCharacters, lengthOf } from '../../platform/text.ts'
import { WorkerPool } from '../../platform/worker-pool.ts'
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

/** How strong a password is, from 0 (refused) to 4, and what to do about it. Owners are networks of clients. */
export async function rankPassword(
  owner: string,
  password: string,
  known: string[] = [],
): Promise<{ score: number; text: string }> {
  const task = { password, known, enoughGuesses: Number.POSITIVE_INFINITY }
  const { guesses, score, advice } = await rankings.run(owner, () => estimate(task, 'rankings'))
  const isRefused = guesses < minGuesses || lengthOf(password) < minLength
  const rank = isRefused ? 0 : Math.max(1, score)
  return { score: rank, text: [scores[rank], ...(rank < 3 ? advice : [])].join(' ') }
}

async function estimate(task: StrengthTask, owner = 'new passwords') {
  const shortened = { ...task, password: firstCharacters(task.password, estimatedLength) }
  const result = await estimator.run<ZxcvbnResult>(owner, shortened, deadlineMilliseconds)
  const { warning, suggestions } = result.feedback
  return { ...result, advice: [warning, ...suggestions].filter((text) => text !== null && text !== '') }
}

/** A thread of its own, because preparing the dictionaries takes up to a third of a second. */
const estimator = new WorkerPool({
  module: moduleUrl('strengthWorker'),
  workers: 1,
  waitingPerOwner: 1000,
})
/** An estimate takes milliseconds; a busy machine may need long to load the dictionaries. */
const deadlineMilliseconds = 30_000

/** Anyone may ask for a ranking. Only one at a time reaches the thread, so a new password waits for one at most. */
const rankings = new FairQueue({ concurrency: 1, waitingPerOwner: 10, waitingInTotal: 100 })
