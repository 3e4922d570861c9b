import assert from 'node:assert/strict'
import { test } from 'node:test'
import { s3Credentials } from '../../../testing/peers/s3-server.ts'
import { parseFilesUrl } from './location.ts'

function bucketUrl(text: string): string {
  return parseFilesUrl(text, s3Credentials).bucketUrl
}

test('FILES_URL names a bucket at Amazon, or at an endpoint with the bucket in the path', () => {
  assert.equal(bucketUrl('s3://chat?region=eu-central-1'), 'https://chat.s3.eu-central-1.amazonaws.com')
  assert.equal(bucketUrl('s3://chat?endpoint=http://127.0.0.1:9000'), 'http://127.0.0.1:9000/chat')
  assert.equal(parseFilesUrl('s3://chat/a/b/', s3Credentials).prefix, 'a/b/')
  assert.equal(parseFilesUrl('s3://chat', { ...s3Credentials, AWS_REGION: 'eu-west-1' }).region, 'eu-west-1')
})

test('another URL, an unknown parameter and missing credentials are refused with what to change', () => {
  for (const wrong of [
    '/data',
    'https://chat',
    's3://',
    's3://chat?regoin=x',
    's3://chat?endpoint=minio:9000',
    's3://a/b c',
  ])
    assert.throws(() => bucketUrl(wrong), /FILES_URL must look like s3:/, wrong)
  assert.throws(() => parseFilesUrl('s3://chat', {}), /set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/)
})
