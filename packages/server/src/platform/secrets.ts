import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  randomInt,
  timingSafeEqual,
} from 'node:crypto'

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

/** How long a process may seal with a key after another one has replaced it, and how often it looks for a key it lacks. */
export const refreshMilliseconds = { toSeal: 60_000, toOpen: 1000 }

/** Encrypts a value that must be readable later, with a key that is stored outside the database. */
export class Vault {
  /** The first one seals; all can open. */
  #keys: Buffer[]
  readonly #reread: (() => string[]) | undefined
  #readAt = performance.now()

  /** `reread` returns the current secrets, which may be replaced while this process runs. */
  constructor(secrets: string | string[], reread?: () => string[]) {
    this.#keys = keysOf(secrets)
    this.#reread = reread
  }

  seal(text: string): Buffer {
    this.#refresh(refreshMilliseconds.toSeal)
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', this.#keys[0]!, nonce)
    return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  }

  open(sealed: Buffer): string {
    const text = this.tryOpen(sealed)
    if (text === undefined) throw new Error('this value was sealed with another key')
    return text
  }

  /** Whether the value was encrypted with the key that seals now. */
  isCurrent(sealed: Buffer): boolean {
    return decrypt(this.#keys[0]!, sealed) !== undefined
  }

  /** Undefined if the value was encrypted with another key. */
  tryOpen(sealed: Buffer): string | undefined {
    return (
      this.#openWithAny(sealed) ?? (this.#refresh(refreshMilliseconds.toOpen) ? this.#openWithAny(sealed) : undefined)
    )
  }

  #openWithAny(sealed: Buffer): string | undefined {
    for (const key of this.#keys) {
      const text = decrypt(key, sealed)
      if (text !== undefined) return text
    }
    return undefined
  }

  /** Returns whether the secrets were read again. */
  #refresh(age: number): boolean {
    if (!this.#reread || performance.now() - this.#readAt < age) return false
    this.#readAt = performance.now()
    this.#keys = keysOf(this.#reread())
    return true
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

  /** Proves that this server made a value that is no secret itself. */
  sign(purpose: string, value: Buffer): Buffer {
    this.#refresh(refreshMilliseconds.toSeal)
    return signatureOf(this.#keys[0]!, purpose, value)
  }

  /** Also of the beginning of a signature, where a whole one would be too long. */
  isSigned(purpose: string, value: Buffer, signature: Buffer): boolean {
    const isMade = (key: Buffer) =>
      timingSafeEqual(signatureOf(key, purpose, value).subarray(0, signature.length), signature)
    return this.#keys.some(isMade) || (this.#refresh(refreshMilliseconds.toOpen) && this.#keys.some(isMade))
  }
}

function signatureOf(key: Buffer, purpose: string, value: Buffer): Buffer {
  return createHmac('sha256', key).update(`${purpose}\0`).update(value).digest()
}

function keysOf(secrets: string | string[]): Buffer[] {
  return [secrets].flat().map((secret) => createHash('sha256').update(secret).digest())
}

/** Undefined if the value was encrypted with another key. */
function decrypt(key: Buffer, sealed: Buffer): string | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12))
    decipher.setAuthTag(sealed.subarray(-16))
    return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
