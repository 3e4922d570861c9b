import { parentPort } from 'node:worker_threads'
import type { RenderContext } from '@parley/markdown/context'
import { render } from '@parley/markdown/render'

parentPort!.on('message', ({ content, context }: { content: string; context: RenderContext }) => {
  try {
    parentPort!.postMessage(render(content, context))
  } catch {
    parentPort!.postMessage(null)
  }
})
