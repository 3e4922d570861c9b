import { execFileSync } from 'node:child_process'

/** Runs a program, whose output is shown. Its failure ends the release. */
export function run(program: string, args: string[], env: NodeJS.ProcessEnv = process.env): void {
  execFileSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'], env })
}
