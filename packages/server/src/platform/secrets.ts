import { createCipheriv, createDecipheriv, createHash, randomBytes, randomInt } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** A key as clients know them: 32 letters and digits, 190 random bits. */
export function newKey(): string {
  return Array.from({ length: 32 }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/** How a key is looked up: a copy of the database does not hold the key itself. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** Seals what must be shown again later, under a key that is kept outside the database. */
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
