import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

/** A certificate for localhost that is signed by itself, and its key, as files and as text. */
export function newCertificate() {
  const folder = mkdtempSync(join(tmpdir(), 'parley-certificate-'))
  after(() => rm(folder, { recursive: true, force: true }))
  const [keyFile, certificateFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const options = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost']
  const name = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', keyFile, '-out', certificateFile]
  execFileSync('openssl', ['req', '-x509', ...options, ...name], { stdio: 'pipe' })
  const [key, certificate] = [keyFile, certificateFile].map((path) => readFileSync(path, 'utf8')) as [string, string]
  return { keyFile, certificateFile, key, certificate }
}
