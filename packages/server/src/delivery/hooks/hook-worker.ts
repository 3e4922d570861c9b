import { parentPort } from 'node:worker_threads'
import { handleRequest } from '@parley/integrations/handle'
import { findIntegration } from '@parley/integrations/registry'
import type { HookTask } from './handle-in-worker.ts'

parentPort!.postMessage('ready')
parentPort!.on('message', ({ integration, request, options }: HookTask) => {
  try {
    parentPort!.postMessage({ result: handleRequest(findIntegration(integration)!, request, options) })
  } catch {
    parentPort!.postMessage({})
  }
})
