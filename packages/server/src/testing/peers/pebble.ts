import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { Agent, request } from 'undici'
import { freePort } from '../crash/crashing-program.ts'
import { until } from '../until.ts'
import { newCertificate } from './certificate.ts'

/** CI sets REQUIRE_PEBBLE, so that the tests cannot be skipped there without notice. */
const isMissing = !process.env.REQUIRE_PEBBLE && !hasPebble()
if (isMissing) console.error('SKIPPED: the tests of TLS=auto need the package "pebble".')
export const needsPebble = { skip: isMissing && 'pebble is not installed' }

function hasPebble(): boolean {
  try {
    execFileSync('sh', ['-c', 'command -v pebble'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

export interface Pebble {
  directory: string
  /** The file with the certificate of its API. */
  caFile: string
  /** The certificate that signs what it issues. */
  root(): Promise<string>
}

/**
 * A certificate authority that validates on these ports of this machine, whatever the host, and rejects some nonces.
 */
export async function startPebble(ports: { http: number; tls: number }, rejectedNonces = 30): Promise<Pebble> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-pebble-'))
  const { certificateFile, keyFile } = newCertificate()
  const [api, management, dns] = [await freePort(), await freePort(), await freePort()]
  const config = {
    listenAddress: `127.0.0.1:${api}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: certificateFile,
    privateKey: keyFile,
    httpPort: ports.http,
    tlsPort: ports.tls,
  }
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ pebble: config }))
  const none = ['-http01', '', '-https01', '', '-tlsalpn01', '', '-management', '']
  run('pebble-challtestsrv', ['-dns01', `127.0.0.1:${dns}`, '-defaultIPv6', '', ...none])
  run('pebble', ['-config', join(folder, 'config.json'), '-dnsserver', `127.0.0.1:${dns}`], {
    PEBBLE_WFE_NONCEREJECT: String(rejectedNonces),
    PEBBLE_VA_NOSLEEP: '1',
  })
  after(() => rm(folder, { recursive: true, force: true }))
  const directory = `https://localhost:${api}/dir`
  await until(async () => (await read(directory).catch(() => '')) !== '')
  return { directory, caFile: certificateFile, root: () => read(`https://localhost:${management}/roots/0`) }
}

function run(program: string, args: string[], env: Record<string, string> = {}): void {
  const child = spawn(program, args, { env: { PATH: process.env.PATH, ...env }, stdio: 'ignore' })
  after(() => child.kill('SIGKILL'))
}

const anyCertificate = new Agent({ connect: { rejectUnauthorized: false } })

async function read(url: string): Promise<string> {
  return (await request(url, { dispatcher: anyCertificate })).body.text()
}
