import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { newCertificate } from '../../testing/peers/certificate.ts'
import { AcmeClient } from './acme-client.ts'
import { certificateId, renewalTime } from './renewal.ts'
import { challengeCertificate, newKeyPair } from './requests.ts'
import { dispatcherFor } from './signed-requests.ts'

const keyExtension = 'authorityKeyIdentifier'
const hexOf = (base64: string) => Buffer.from(base64, 'base64url').toString('hex').toUpperCase()
const days = (count: number) => new Date(Date.UTC(2026, 0, 1 + count))
const lifetime = { notBefore: days(0), notAfter: days(90) }

test('a certificate is renewed at two thirds of its lifetime, however long that is', () => {
  assert.deepEqual(renewalTime(lifetime, undefined), days(60))
  assert.deepEqual(renewalTime({ notBefore: days(0), notAfter: days(6) }, undefined), days(4))
})

test('the window that the authority suggests counts, unless it makes no sense', () => {
  const time = renewalTime(lifetime, { start: days(10).toISOString(), end: days(11).toISOString() })
  assert.ok(time >= days(10) && time < days(11))
  assert.deepEqual(renewalTime(lifetime, { start: 'soon', end: days(11).toISOString() }), days(60))
})

test('an authority knows a certificate by the key that signed it and its number', () => {
  const { certificate, certificateFile } = newCertificate()
  const shown = execFileSync('openssl', ['x509', '-in', certificateFile, '-noout', '-serial', '-ext', keyExtension])
  const [, serial = ''] = /serial=([\dA-F]+)/.exec(shown.toString())!
  const [, key = ''] = /Identifier: *\n +(?:keyid:)?((?:[\dA-F]{2}:?)+)/.exec(shown.toString())!

  const [keyPart, numberPart] = certificateId(certificate)!.split('.').map(hexOf)

  assert.equal(keyPart, key.replaceAll(':', ''))
  assert.equal(BigInt(`0x${numberPart}`), BigInt(`0x${serial}`))
  assert.ok(Number.parseInt(numberPart!.slice(0, 2), 16) < 0x80) // otherwise it would be negative
})

test('a certificate that does not name the key of its authority has no name there', () => {
  assert.equal(certificateId(challengeCertificate('chat.example.com', 'token.thumbprint').cert), undefined)
})

test('the certificate of a challenge names its host and its proof', () => {
  const { cert } = challengeCertificate('chat.example.com', 'token.thumbprint')
  const certificate = new X509Certificate(cert)
  assert.equal(certificate.subjectAltName, 'DNS:chat.example.com')
  assert.ok(certificate.verify(certificate.publicKey))
  assert.ok(certificate.raw.includes(Buffer.from('06082b0601050507011f0101ff', 'hex')))
})

/** An authority that knows no more than accounts and when to renew. */
async function startAuthority(renewalInfo: (id: string) => object) {
  const server = createServer(({ url = '' }, response) => {
    const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const directory = { newNonce: `${own}/nonce`, newAccount: `${own}/account`, renewalInfo: `${own}/renewal` }
    const body = url === '/dir' ? directory : url.startsWith('/renewal/') ? renewalInfo(url.slice(9)) : {}
    response.writeHead(200, { 'replay-nonce': 'n', location: `${own}/account/1` }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/dir`, close: () => server.close() }
}

test('the authority is asked when to renew, by the name of the certificate', async (t) => {
  const window = { start: days(10).toISOString(), end: days(11).toISOString() }
  const authority = await startAuthority((id) => (id === 'key.number' ? { suggestedWindow: window } : {}))
  t.after(authority.close)

  const client = await AcmeClient.open(authority.url, newKeyPair(), undefined, dispatcherFor(undefined))

  assert.deepEqual(await client.suggestedRenewal('key.number'), window)
})
