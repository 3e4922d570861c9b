import { isIP } from 'node:net'
import { connect, type PeerCertificate } from 'node:tls'

/** Rejects if the certificate is not trusted, is for another host, or has expired. */
export function readCertificate({ hostname, port }: URL): Promise<PeerCertificate> {
  return new Promise((resolve, reject) => {
    const servername = isIP(hostname) ? '' : hostname // IP addresses have none
    const socket = connect({ host: hostname, port: Number(port || 443), servername, timeout: 10_000 })
    socket.once('secureConnect', () => {
      resolve(socket.getPeerCertificate())
      socket.destroy()
    })
    socket.once('timeout', () => socket.destroy(new Error(`${hostname} does not answer within 10 seconds`)))
    socket.once('error', reject)
  })
}
