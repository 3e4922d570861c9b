import { request } from 'node:http'
import { request as requestOverTls } from 'node:https'
import { readConfig } from '../config.ts'

const milliseconds = 4000

/** Says whether the server on this machine can serve clients. The exit code is 1 if it cannot. */
export async function printHealth(): Promise<void> {
  const { host, port, tls, publicUrl } = readConfig('production')
  const here = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const options = { host: here, port, path: '/health/ready', timeout: milliseconds }
  // The certificate is for the name of the server, and this only asks the port.
  const secure = tls && { servername: new URL(publicUrl!).hostname, rejectUnauthorized: false }
  const [status, text] = await new Promise<[number, string]>((resolve) => {
    const outgoing = secure ? requestOverTls({ ...options, ...secure }) : request(options)
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer within 4 seconds')))
    outgoing.on('error', ({ message }) => resolve([0, message]))
    outgoing.on('response', async (response) => {
      let body = ''
      for await (const chunk of response.setEncoding('utf8')) body += chunk
      resolve([response.statusCode ?? 0, body.trim()])
    })
    outgoing.end()
  })
  console.log(status === 200 ? 'ready' : `not ready: ${text}`)
  if (status !== 200) process.exitCode = 1
}
