import { parentPort, workerData } from 'node:worker_threads'
import { render } from '@parley/markdown/render'
import { htmlDiffs } from '../fetch/history-diff.ts'
import { markDocuments, wordsIn } from '../fetch/search-highlights.ts'
import { type MediaProxy, throughProxy } from './media-proxy.ts'
import type { Task } from './renderer.ts'

const proxy = throughProxy((workerData as { proxy?: MediaProxy }).proxy)

/** CPU time for code highlighting and formulas, or for differences. What comes later is kept simple. */
const budgetMilliseconds = 500

// KaTeX complains about every character it has no measure for. An author's choice of words is nothing to be logged.
console.warn = () => {}

parentPort!.postMessage('ready')
parentPort!.on('message', (task: Task) => {
  try {
    parentPort!.postMessage({ result: run(task) })
  } catch {
    parentPort!.postMessage({})
  }
})

function run(task: Task): unknown {
  switch (task.kind) {
    case 'render': {
      const mayDecorate = task.isPlain ? () => false : cpuBudget()
      return render(task.content, { ...task.context, ...proxy, mayDecorate })
    }
    case 'diff':
      return htmlDiffs(task.pairs, cpuBudget())
    case 'words':
      return wordsIn(task.texts)
    case 'mark':
      return markDocuments(task.texts, task.found)
  }
}

/** Whether there is time left. Counts the CPU time of this thread, so that a busy machine changes no message. */
function cpuBudget(): () => boolean {
  const start = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(start)
    return user + system < budgetMilliseconds * 1000
  }
}
