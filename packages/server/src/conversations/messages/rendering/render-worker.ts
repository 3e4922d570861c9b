import { parentPort, workerData } from 'node:worker_threads'
import { render } from '@parley/markdown/render'
import { htmlDiffs } from '../fetch/history-diff.ts'
import { markDocuments, wordsIn } from '../fetch/search-highlights.ts'
import { type MediaProxy, throughProxy } from './media-proxy.ts'
import type { Task } from './renderer.ts'

const proxy = throughProxy((workerData as { proxy?: MediaProxy }).proxy)

/** CPU time for code highlighting and formulas, or for diffs. The rest of the text is rendered plainly. */
const budgetMilliseconds = 500

// KaTeX warns about every character without font metrics. That is user content and does not belong in the log.
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

/** Whether there is budget left. Measures CPU time of this thread, so that the result does not depend on machine load. */
function cpuBudget(): () => boolean {
  const start = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(start)
    return user + system < budgetMilliseconds * 1000
  }
}
