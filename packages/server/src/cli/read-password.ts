import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { StartupError } from '../platform/postgres/startup-error.ts'

const shortest = 8
const longest = 1000

/** Typed without echo, or the first line of standard input. Never an argument, which other users can list. */
export async function readPassword(email: string): Promise<string> {
  const password = process.stdin.isTTY ? await typed(email) : await firstLine()
  if (password.length >= shortest && password.length <= longest) return password
  throw new StartupError(
    `The password of ${email} must have ${shortest} to ${longest} characters: type it, or send it to standard input.`,
  )
}

async function firstLine(): Promise<string> {
  return (await text(process.stdin)).split(/\r?\n/, 1)[0]!
}

function typed(email: string): Promise<string> {
  process.stderr.write(`Password for ${email}: `)
  const noEcho = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: noEcho, terminal: true })
  return new Promise((resolve) => {
    terminal.on('SIGINT', () => process.exit(130))
    terminal.question('', (password) => {
      terminal.close()
      process.stderr.write('\n')
      resolve(password)
    })
  })
}
