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

  /** Undefined if the value was encrypted with another key. */
  tryOpen(sealed: Buffer): string | undefined {
    try {
      return this.open(sealed)
    } catch {
      return undefined
    }
  }

  /** A token for URLs. Only this server can create or read it, so nothing has to be stored. */
  sealToken(purpose: string, content: unknown): string {
    return this.seal(JSON.stringify({ purpose, content })).toString('base64url')
  }

  /**
   * The content of a token of this purpose. Only the exact token is accepted: decoding base64 ignores some characters,
   * and one token must not have several spellings.
   */
  openToken(purpose: string, token: string): unknown {
    const sealed = Buffer.from(token, 'base64url')
    if (sealed.toString('base64url') !== token) return undefined
    try {
      const opened = JSON.parse(this.open(sealed))
      return opened.purpose === purpose ? opened.content : undefined
    } catch {
      return undefined // not sealed by this server
    }
  }
}
