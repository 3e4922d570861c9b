import { startWorker } from '../boot/start-server.ts'
import { readConfig } from '../config.ts'
import type { Say } from '../context.ts'
import { runUntilEnd } from './run-until-signal.ts'

const say: Say = (line) => console.log(line)

/** Runs background jobs until stopped. */
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
