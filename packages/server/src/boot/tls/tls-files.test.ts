import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { connect } from 'node:tls'
import { Agent, request } from 'undici'
import { tempFolder } from '../../platform/postgres/test-support.ts'
import { freePort } from '../../testing/crash/crashing-program.ts'
import { newCertificate } from '../../testing/peers/certificate.ts'
import { runParley, startParley } from '../../testing/program.ts'
import { until } from '../../testing/until.ts'
import { createDatabase } from '../../testing/world.ts'

const folder = tempFolder({ after })
const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]

function put(given: ReturnType<typeof newCertificate>): void {
  copyFileSync(given.certificateFile, certFile)
  copyFileSync(given.keyFile, keyFile)
}

async function environment(): Promise<Record<string, string>> {
  return {
    DATABASE_URL: await createDatabase(),
    DATA_DIR: folder,
    SECRET_KEY: 'a secret only for the tests of Parley',
    PUBLIC_URL: 'https://localhost',
    TLS_CERT_FILE: certFile,
    TLS_KEY_FILE: keyFile,
    PORT: String(await freePort()),
    HTTP_PORT: String(await freePort()),
  }
}

/** Whether a new connection sees this certificate, and trusts it. */
function shows(port: string, { certificate }: ReturnType<typeof newCertificate>): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: Number(port), servername: 'localhost', ca: certificate })
    socket.on('secureConnect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('secureConnect', () => socket.destroy())
  })
}

test('a certificate in files is used, also a renewed one without a restart, and HTTP leads to HTTPS', async (t) => {
  const [first, second] = [newCertificate(), newCertificate()]
  put(first)
  const env = await environment()
  const program = await startParley(t, ['--demo'], { env })
  const dispatcher = new Agent({ connect: { ca: first.certificate, servername: 'localhost' } })

  const secure = await request(`https://127.0.0.1:${env.PORT}/api/v1/server_settings`, { dispatcher })
  const plain = await request(`http://127.0.0.1:${env.HTTP_PORT}/#inbox`, { headers: { host: 'localhost' } })
  assert.equal(secure.statusCode, 200)
  assert.equal(secure.headers['strict-transport-security'], 'max-age=31536000')
  assert.deepEqual([plain.statusCode, plain.headers.location], [308, 'https://localhost/'])
  await Promise.all([secure.body.dump(), plain.body.dump()])

  assert.deepEqual(await runParley(t, ['health'], { env }), { code: 0, output: 'ready\n' })

  put(second)
  await until(() => shows(env.PORT!, second))
  await dispatcher.close()
  program.signal('SIGTERM')
  assert.equal((await program.ended()).code, 0)
})

test('files that are no certificate are refused at start, in one sentence', async (t) => {
  copyFileSync(import.meta.filename, certFile)
  copyFileSync(import.meta.filename, keyFile)

  const { code, output } = await runParley(t, ['serve', '--demo'], { env: await environment() })

  assert.equal(code, 1)
  assert.match(output, /TLS_CERT_FILE and TLS_KEY_FILE cannot be used \(.+\): check both files\./)
})
