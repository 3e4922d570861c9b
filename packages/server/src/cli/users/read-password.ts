import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { checkNewPassword } from '../../identity/passwords/password-strength.ts'
import { hashPassword } from '../../identity/passwords/passwords.ts'

/**
 * The hash of a password that is typed without echo, or the first line of standard input. Never an argument: other
 * users can list those. It is checked and hashed in other threads while the command opens the database.
 */
export async function readPassword(email: string): Promise<{ hash: Promise<string> }> {
  const password = process.stdin.isTTY ? await typed(email) : await firstLine()
  const hash = Promise.all([hashPassword(password), checkNewPassword('production', password, [email])]).then(
    ([hash]) => hash,
  )
  hash.catch(() => {}) // reported where it is awaited
  return { hash }
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
