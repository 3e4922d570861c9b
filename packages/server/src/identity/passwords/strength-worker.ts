import { parentPort } from 'node:worker_threads'
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import * as english from '@zxcvbn-ts/language-en'

export interface StrengthTask {
  password: string
  known: string[]
  /** Whether more guesses than this are needed does not matter. */
  enoughGuesses: number
}

type Words = Record<string, (string | number)[]>
const words: Words = { ...dictionary, ...english.dictionary }
const estimators = new Map<number, ZxcvbnFactory>()

/** Preparing all words takes a third of a second. Finding the n-th word takes n guesses, so only the first ones count. */
function estimatorFor(enoughGuesses: number): ZxcvbnFactory {
  const prepared = estimators.get(enoughGuesses)
  if (prepared) return prepared
  const first = Object.entries(words).map(([name, list]) => [name, list.slice(0, enoughGuesses)])
  const estimator = new ZxcvbnFactory({
    dictionary: Object.fromEntries(first),
    graphs: adjacencyGraphs,
    translations: english.translations,
  })
  estimators.set(enoughGuesses, estimator)
  return estimator
}

parentPort!.postMessage('ready')
parentPort!.on('message', ({ password, known, enoughGuesses }: StrengthTask) => {
  try {
    parentPort!.postMessage({ result: estimatorFor(enoughGuesses).check(password, known) })
  } catch {
    parentPort!.postMessage({})
  }
})
