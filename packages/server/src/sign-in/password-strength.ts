import type { ZxcvbnFactory } from '@zxcvbn-ts/core'
import type { Config } from '../boot/config.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { firstCharacters, lengthOf } from '../platform/text.ts'

const shortest = 6
const longest = 100
const fewestGuesses = 10_000
/** Estimating takes time that grows faster than the length, and this many characters suffice to judge. */
const estimated = 40

/**
 * Throws unless the password is long enough and takes enough guesses for an attacker who knows these words, too. The
 * demo takes any password: it gives out everyone's keys anyway.
 */
export async function checkNewPassword(mode: Config['mode'], password: string, known: string[] = []): Promise<void> {
  const length = lengthOf(password)
  const least = mode === 'demo' ? 1 : shortest
  if (length < least || length > longest)
    throw new ApiError(`The password must have ${least} to ${longest} characters.`)
  if (mode === 'demo') return
  const { guesses, feedback } = (await loadEstimator()).check(firstCharacters(password, estimated), known)
  if (guesses < fewestGuesses) throw tooWeak(feedback)
}

function tooWeak({ warning, suggestions }: { warning: string | null; suggestions: string[] }): ApiError {
  return new ApiError(['The password is too easy to guess.', warning, ...suggestions].filter(Boolean).join(' '))
}

let estimator: Promise<ZxcvbnFactory> | undefined

/** Loaded with the first password: the dictionaries take half a second and some memory. */
function loadEstimator(): Promise<ZxcvbnFactory> {
  estimator ??= createEstimator()
  return estimator
}

async function createEstimator(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory: Factory }, common, english] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
    import('@zxcvbn-ts/language-en'),
  ])
  return new Factory({
    dictionary: { ...common.dictionary, ...english.dictionary },
    graphs: common.adjacencyGraphs,
    translations: english.translations,
  })
}
