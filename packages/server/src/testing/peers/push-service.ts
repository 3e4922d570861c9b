import assert from 'node:assert/strict'
import { createECDH, createPublicKey, randomBytes, verify } from 'node:crypto'
import { addWebPush, getWebPush } from '@parley/api/delivery/push'
import ece from 'http_ece'
import type { Notification } from '../../delivery/push/notification.ts'
import type { Actor } from '../actor.ts'
import { newReceiver, type Received } from './receiver.ts'

export interface BrowserKeys {
  endpoint: string
  p256dh: string
  auth: string
}

/** Browsers that share a push service: a real HTTP server that answers with the given status and header. */
export async function newPushService(statusOf: (count: number) => number = () => 201, retryAfter?: string) {
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
  const receiver = await newReceiver((response, _request, count) => response.writeHead(statusOf(count), headers).end())
  let made = 0
  return {
    ...receiver,
    newBrowser: () => newBrowser(`http://127.0.0.1:${receiver.port}/push/${++made}`, receiver.requests),
  }
}

export type Browser = ReturnType<typeof newBrowser>

function newBrowser(endpoint: string, requests: Received[]) {
  const keys = createECDH('prime256v1')
  keys.generateKeys()
  const authSecret = randomBytes(16)
  const auth = authSecret.toString('base64url')
  const own: BrowserKeys = { endpoint, p256dh: keys.getPublicKey('base64url'), auth }
  const path = new URL(endpoint).pathname
  const open = ({ bytes }: Received): Notification =>
    JSON.parse(ece.decrypt(bytes, { version: 'aes128gcm', privateKey: keys, authSecret }).toString())
  return {
    keys: own,
    /** The requests to this browser. */
    requests: () => requests.filter((request) => request.path === path),
    /** What arrived here, decrypted by another implementation than ours. */
    notifications: () => requests.filter((request) => request.path === path).map(open),
    registersFor: (actor: Actor) => actor.does(addWebPush, own),
  }
}

/** Checks a request as a push service does, and returns the claims of its token. */
export async function checkVapid(
  actor: Actor,
  { headers }: Received,
): Promise<{ aud: string; exp: number; sub: string }> {
  const [, token, key] = /^vapid t=([^,]+), k=(\S+)$/.exec(headers.authorization!)!
  assert.equal(key, (await actor.does(getWebPush)).public_key)
  const [header, claims, signature] = token!.split('.')
  const point = Buffer.from(key!, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x!, y: y! }, format: 'jwk' })
  const signed = Buffer.from(`${header}.${claims}`)
  const isValid = verify(
    'sha256',
    signed,
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature!, 'base64url'),
  )
  assert.ok(isValid, 'the signature is wrong')
  return JSON.parse(Buffer.from(claims!, 'base64url').toString())
}
