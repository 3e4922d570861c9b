import { parentPort } from 'node:worker_threads'
import { parseEmail } from './parse-email.ts'
import type { MailTask } from './parse-in-worker.ts'

parentPort!.postMessage('ready')
parentPort!.on('message', ({ raw, options }: MailTask) => {
  parseEmail(raw, options).then(
    (result) => parentPort!.postMessage({ result }),
    () => parentPort!.postMessage({}),
  )
})
