import '../testing/english.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UploadBox } from './uploads.ts'

const file = { name: 'plan.pdf' } as File

/** A box whose requests are answered by the test. */
function open() {
  const requests: PromiseWithResolvers<string>[] = []
  const inserted: string[] = []
  const box = new UploadBox(() => {
    const request = Promise.withResolvers<string>()
    requests.push(request)
    return { done: request.promise, abort: () => {} }
  })
  box.add('dm 2', file, (link) => inserted.push(link))
  return { box, requests, inserted }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a file that was uploaded is inserted', async () => {
  const { box, requests, inserted } = open()
  requests[0]!.resolve('[plan.pdf](/1)')
  await settled()
  assert.deepEqual([inserted, box.list('dm 2')], [['[plan.pdf](/1)'], []])
})

test('an upload that failed says why, and can be retried', async () => {
  const { box, requests, inserted } = open()
  requests[0]!.reject(new Error('Too large.'))
  await settled()
  assert.equal(box.list('dm 2')[0]!.failure, 'Too large.')
  box.list('dm 2')[0]!.retry()
  assert.equal(box.list('dm 2')[0]!.failure, undefined)
  requests[1]!.resolve('[plan.pdf](/1)')
  await settled()
  assert.deepEqual([inserted, box.list('dm 2')], [['[plan.pdf](/1)'], []])
})

test('a cancelled upload is not inserted', async () => {
  const { box, requests, inserted } = open()
  box.list('dm 2')[0]!.cancel()
  requests[0]!.resolve('[plan.pdf](/1)')
  await settled()
  assert.deepEqual([inserted, box.list('dm 2')], [[], []])
})
