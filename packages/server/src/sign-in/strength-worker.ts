import { parentPort } from 'node:worker_threads'
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import * as english from '@zxcvbn-ts/language-en'

const estimator = new ZxcvbnFactory({
  dictionary: { ...dictionary, ...english.dictionary },
  graphs: adjacencyGraphs,
  translations: english.translations,
})

parentPort!.postMessage('ready')
parentPort!.on('message', ({ password, known }: { password: string; known: string[] }) => {
  try {
    parentPort!.postMessage({ result: estimator.check(password, known) })
  } catch {
    parentPort!.postMessage({})
  }
})
