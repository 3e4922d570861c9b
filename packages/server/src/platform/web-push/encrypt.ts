import { createCipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto'

/** What a browser gave us to encrypt for it: its public key (an uncompressed P-256 point) and a shared secret. */
export interface ReceiverKeys {
  publicKey: Buffer
  authSecret: Buffer
}

export const curve = 'prime256v1'
const recordSize = 4096
const authenticationTag = 16
/** Marks the last record, and there is only one. */
const delimiter = Buffer.of(2)
const headerSize = 16 + 4 + 1 + 65

/** Push services accept 4096 bytes, and everything must be in one record. */
export const maxPayload = recordSize - headerSize - delimiter.length - authenticationTag

/** Encrypts a push message, so that only the browser can read it: RFC 8291, with the coding `aes128gcm` of RFC 8188. */
export function encrypt(
  payload: Buffer,
  { publicKey, authSecret }: ReceiverKeys,
  sender: ECDH = newKeys(),
  salt: Buffer = randomBytes(16),
): Buffer {
  if (payload.length > maxPayload) throw new Error(`A push message has at most ${maxPayload} bytes.`)
  const own = sender.getPublicKey()
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, own])
  const secret = derive(sender.computeSecret(publicKey), authSecret, info, 32)
  const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16)
  const nonce = derive(secret, salt, 'Content-Encoding: nonce\0', 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const encrypted = [cipher.update(Buffer.concat([payload, delimiter])), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat([headerOf(salt, own), ...encrypted])
}

/** Every message has its own keys. */
function newKeys(): ECDH {
  const keys = createECDH(curve)
  keys.generateKeys()
  return keys
}

function derive(secret: Buffer, salt: Buffer, info: Buffer | string, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length))
}

function headerOf(salt: Buffer, publicKey: Buffer): Buffer {
  const sizes = Buffer.alloc(5)
  sizes.writeUInt32BE(recordSize)
  sizes.writeUInt8(publicKey.length, 4)
  return Buffer.concat([salt, sizes, publicKey])
}
