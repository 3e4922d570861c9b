import { Readable } from 'node:stream'
import { mock } from 'node:test'
import { parley } from '../cli/commands.ts'
import type { Running } from './program.ts'

class Exit extends Error {
  readonly code: number
  constructor(code: number) {
    super(`exit ${code}`)
    this.code = code
  }
}

/** Runs a command in this process, which is much faster than `runParley`. Not for commands that wait for signals. */
export async function runCommand(
  args: string[],
  { env = {}, input = '' }: Omit<Running, 'as'> = {},
): Promise<{ code: number; output: string }> {
  let output = ''
  const ownEnv = process.env
  mock.method(console, 'log', (line: string) => {
    output += `${line}\n`
  })
  mock.method(process.stderr, 'write', (text: string) => {
    output += text
  })
  mock.method(process, 'exit', (code: number) => {
    throw new Exit(code)
  })
  mock.getter(process, 'stdin', () => Readable.from([input]))
  try {
    process.env = env
    await parley.parseAsync(args, { from: 'user' })
    return { code: Number(process.exitCode ?? 0), output }
  } catch (error) {
    if (error instanceof Exit) return { code: error.code, output }
    throw error
  } finally {
    process.env = ownEnv
    process.exitCode = undefined
    mock.restoreAll()
  }
}
