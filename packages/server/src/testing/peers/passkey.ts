import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

interface Options {
  challenge: string
}

/** Ways in which an answer can be wrong. */
export interface Forgery {
  origin?: string
  rpId?: string
  /** Without it, the user was not asked for the screen lock. */
  isVerified?: boolean
  type?: string
  userHandle?: string
  count?: number
  signWith?: KeyObject
}

/** A security key in software: answers as a browser would, truthfully or not. */
export class SoftPasskey {
  readonly id = randomBytes(16)
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly #site: { origin: string; rpId: string }
  count = 0

  constructor(site: { origin: string; rpId: string }) {
    this.#site = site
  }

  /** The answer to a request for a new passkey. */
  create({ challenge }: Options, forged: Forgery = {}): string {
    const length = Buffer.from([0, this.id.length])
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, this.#coseKey()])
    const authData = this.#authData(forged, 0x40, attested)
    const attestationObject = Buffer.concat([
      ...[Buffer.from([0xa3]), text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0])],
      ...[text('authData'), bytes(authData)],
    ])
    const clientDataJSON = this.#clientData('webauthn.create', challenge, forged)
    return this.#answer({ attestationObject: base64(attestationObject), clientDataJSON: base64(clientDataJSON) })
  }

  /** The answer to a request to sign in. */
  get({ challenge }: Options, forged: Forgery = {}): string {
    this.count = forged.count ?? this.count + 1
    const authenticatorData = this.#authData(forged, 0, Buffer.alloc(0))
    const clientDataJSON = this.#clientData('webauthn.get', challenge, forged)
    const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientDataJSON).digest()])
    return this.#answer({
      authenticatorData: base64(authenticatorData),
      clientDataJSON: base64(clientDataJSON),
      signature: base64(sign('sha256', signed, forged.signWith ?? this.#keys.privateKey)),
      ...(forged.userHandle !== undefined && { userHandle: forged.userHandle }),
    })
  }

  #answer(response: object): string {
    const id = base64(this.id)
    return JSON.stringify({ id, rawId: id, type: 'public-key', response, clientExtensionResults: {} })
  }

  #clientData(type: string, challenge: string, { origin = this.#site.origin, ...forged }: Forgery): Buffer {
    return Buffer.from(JSON.stringify({ type: forged.type ?? type, challenge, origin, crossOrigin: false }))
  }

  #authData({ rpId = this.#site.rpId, isVerified = true }: Forgery, flags: number, attested: Buffer): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.count)
    const all = Buffer.from([flags | 0x01 | (isVerified ? 0x04 : 0)])
    return Buffer.concat([createHash('sha256').update(rpId).digest(), all, counter, attested])
  }

  #coseKey(): Buffer {
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' })
    const [a, b] = [x, y].map((part) => bytes(Buffer.from(part!, 'base64url'))) as [Buffer, Buffer]
    const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01])
    return Buffer.concat([head, Buffer.from([0x21]), a, Buffer.from([0x22]), b])
  }
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64url')
}

/** CBOR of a text shorter than 24 bytes. */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
}

/** CBOR of 24 to 255 bytes. */
function bytes(value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x58, value.length]), value])
}

/** The request in a page of ours. */
export function passkeyRequest(body: string): { challenge: string; options: Options } {
  const [, json = ''] = /data-passkey="([^"]*)"/.exec(body) ?? []
  const [, challenge = ''] = /name="challenge" value="([^"]*)"/.exec(body) ?? []
  return { challenge, options: JSON.parse(json.replaceAll('&quot;', '"')).options }
}

/** A page without the challenges for passkeys, which are random. */
export function withoutChallenges(page: string): string {
  return page.replaceAll(/(?<=challenge&quot;:&quot;|name="challenge" value=")[\w-]+/g, '…')
}
