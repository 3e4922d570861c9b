import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Before hours of work: whether the checksums can be signed at its end. */
export function checkSigning(key: string): void {
  if (!existsSync(key)) throw new Error(`There is no key ${key}: minisign -G -s ${key} makes one.`)
  try {
    execFileSync('minisign', ['-v'], { stdio: 'ignore' })
  } catch {
    throw new Error('minisign is not installed: on Debian and Ubuntu, apt install minisign.')
  }
}

/** Writes FILE.minisig, and says what was signed: a signature of another release is then noticed. It may ask for the password. */
export function sign(key: string, file: string, version: string): void {
  const what = ['-t', `Parley ${version}`, '-c', `signature of Parley ${version}`]
  execFileSync('minisign', ['-S', '-s', key, '-m', file, ...what], { stdio: ['inherit', 'ignore', 'inherit'] })
}
