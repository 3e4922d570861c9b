import { parentPort, workerData } from 'node:worker_threads'
import type { RenderContext } from '@parley/markdown/context'
import { render } from '@parley/markdown/render'
import { type MediaProxy, throughProxy } from './media-proxy.ts'

const proxy = throughProxy((workerData as { proxy?: MediaProxy }).proxy)

// KaTeX complains about every character it has no measure for. An author's choice of words is nothing to be logged.
console.warn = () => {}

parentPort!.postMessage('ready')
parentPort!.on('message', ({ content, context }: { content: string; context: RenderContext }) => {
  try {
    parentPort!.postMessage(render(content, { ...context, ...proxy }))
  } catch {
    parentPort!.postMessage(null)
  }
})
