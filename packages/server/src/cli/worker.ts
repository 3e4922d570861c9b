import { readConfig } from '../config.ts'
import type { Say } from '../database.ts'
import { startWorker } from '../main.ts'
import { runUntilEnd } from './running.ts'

const say: Say = (line) => console.log(line)

/** Works until it is told to stop. */
export function work(): Promise<never> {
  return runUntilEnd(async () => {
    const worker = await startWorker(readConfig('production'), say)
    say('Parley is working in the background.')
    if (worker.url) say(`  Health: ${worker.url}/health, /health/ready and /metrics`)
    say(`  Data: ${worker.database.place}`)
    say('  Stop: Ctrl-C, or SIGTERM')
    return worker
  })
}
