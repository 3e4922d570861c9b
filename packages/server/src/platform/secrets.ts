import { createCipheriv, createDecipheriv, createHash, randomBytes, randomInt } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** An API key in the format that clients know: 32 letters and digits, 190 random bits. */
export function newKey(): string {
  return Array.from({ length: 32 }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/** A token for links: 256 random bits, safe in URLs. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The hash by which a key is looked up, so that a copy of the database does not contain the key itself. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** Encrypts a value that must be readable later, with a key that is stored outside the database. */
export class Vault {
  readonly #key: Buffer

  constructor(secret: string) {
    this.#key = createHash('sha256').update(secret).digest()
  }

  seal(text: string): Buffer {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce)
    return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  }

  open(sealed: Buffer): string {
    const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(0, 12))
    decipher.setAuthTag(sealed.subarray(-16))
    return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]).toString('utf8')
  }
}
