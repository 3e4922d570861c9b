import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sha256, signedHeaders } from './s3-signature.ts'

/** The public example of the S3 documentation. */
const credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  sessionToken: undefined,
}
const now = new Date('2013-05-24T00:00:00.000Z')

function signatureOf(method: string, path: string, headers: Record<string, string> = {}): string {
  const url = new URL(`https://examplebucket.s3.amazonaws.com${path}`)
  const all = signedHeaders({ method, url, headers, payloadHash: sha256('') }, credentials, 'us-east-1', now)
  return /Signature=(\w+)/.exec(all.authorization!)![1]!
}

test('signatures match the examples of the S3 documentation', () => {
  const withRange = 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41'
  assert.equal(signatureOf('GET', '/test.txt', { range: 'bytes=0-9' }), withRange)
  const withQuery = '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'
  assert.equal(signatureOf('GET', '/?max-keys=2&prefix=J'), withQuery)
  const withEmptyValue = 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'
  assert.equal(signatureOf('GET', '/?lifecycle'), withEmptyValue)
})

test('the token of temporary credentials is sent and signed', () => {
  const url = new URL('https://bucket.s3.eu-west-1.amazonaws.com/a')
  const request = { method: 'GET', url, headers: {}, payloadHash: sha256('') }
  const all = signedHeaders(request, { ...credentials, sessionToken: 'token' }, 'eu-west-1', now)
  assert.equal(all['x-amz-security-token'], 'token')
  assert.match(all.authorization!, /SignedHeaders=[^,]*x-amz-security-token/)
})
