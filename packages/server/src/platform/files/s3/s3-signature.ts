import { createHash, createHmac } from 'node:crypto'

export interface Credentials {
  accessKeyId: string
  secretAccessKey: string
  /** Temporary credentials come with a token. */
  sessionToken: string | undefined
}

export interface RequestToSign {
  method: string
  url: URL
  headers: Record<string, string>
  /** The SHA-256 of the body in hexadecimal, or `UNSIGNED-PAYLOAD`. */
  payloadHash: string
}

/** All headers of the request, with its signature (AWS Signature Version 4 for the service `s3`). */
export function signedHeaders(
  { method, url, headers, payloadHash }: RequestToSign,
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
  region: string,
  now = new Date(),
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const all: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-content-sha256': payloadHash,
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  }
  const sorted = Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1))
  const names = sorted.map(([name]) => name)
  const canonical = [
    ...[method, url.pathname, canonicalQuery(url)],
    ...[sorted.map(([name, value]) => `${name}:${value.trim()}\n`).join(''), names.join(';'), payloadHash],
  ].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`)
  const credential = `Credential=${accessKeyId}/${scope},SignedHeaders=${names.join(';')}`
  return { ...all, authorization: `AWS4-HMAC-SHA256 ${credential},Signature=${hmac(key, toSign).toString('hex')}` }
}

/** Sorted, and encoded more strictly than URLs are. */
function canonicalQuery({ searchParams }: URL): string {
  const pairs = [...searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`)
  return pairs.sort().join('&')
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

export function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
