import cluster from 'node:cluster'
import { superviseProcesses } from '../boot/process-supervisor.ts'
import { type Config, readConfig } from '../config.ts'
import { type Running, runUntilEnd } from './run-until-signal.ts'

/** Runs the server until it is stopped: in this process, or in several that it supervises. */
export function serve(mode: Config['mode'], processes?: string): Promise<never> {
  return runUntilEnd(async (): Promise<Running> => {
    const config = readConfig(mode, { ...process.env, ...(processes !== undefined && { PROCESSES: processes }) })
    // The server is loaded only where it runs: a supervisor stays small.
    if (cluster.isWorker) return (await import('./serve-here.ts')).serveAsOneOfMany(config)
    console.log('Parley is starting …')
    if (config.processes > 1) return superviseProcesses(config, console.log)
    return (await import('./serve-here.ts')).serveAlone(config)
  })
}
