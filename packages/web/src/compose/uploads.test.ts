import '../testing/english.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UploadBox } from './uploads.ts'

const file = (name: string, size = 10) => ({ name, size }) as File
const maxMegabytes = 25

/** A box whose requests are answered by the test. */
function open() {
  const requests: PromiseWithResolvers<string>[] = []
  const inserted: string[] = []
  const box = new UploadBox(() => {
    const request = Promise.withResolvers<string>()
    requests.push(request)
    return { done: request.promise, abort: () => {} }
  })
  const target = { insert: (link: string) => void inserted.push(link), maxMegabytes }
  const add = (name: string, size?: number) => box.add('dm 2', file(name, size), target)
  add('plan.pdf')
  return { box, requests, inserted, add }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a file that was uploaded is inserted', async () => {
  const { box, requests, inserted } = open()
  requests[0]!.resolve('[plan.pdf](/1)')
  await settled()
  assert.deepEqual([inserted, box.list('dm 2')[0]!.link], [['[plan.pdf](/1)'], '[plan.pdf](/1)'])
})

test('an upload that failed says why, and can be retried', async () => {
  const { box, requests, inserted } = open()
  requests[0]!.reject(new Error('Too large.'))
  await settled()
  assert.equal(box.list('dm 2')[0]!.failure, 'Too large.')
  box.list('dm 2')[0]!.retry!()
  assert.equal(box.list('dm 2')[0]!.failure, undefined)
  requests[1]!.resolve('[plan.pdf](/1)')
  await settled()
  assert.deepEqual([inserted, box.list('dm 2')[0]!.link], [['[plan.pdf](/1)'], '[plan.pdf](/1)'])
})

test('a cancelled upload is not inserted', async () => {
  const { box, requests, inserted } = open()
  box.list('dm 2')[0]!.cancel()
  requests[0]!.resolve('[plan.pdf](/1)')
  await settled()
  assert.deepEqual([inserted, box.list('dm 2')], [[], []])
})

test('links stand in the order in which the files were chosen', async () => {
  const { requests, inserted, add } = open()
  add('second.png')
  add('third.png')
  requests[2]!.resolve('[third.png](/3)')
  requests[1]!.resolve('[second.png](/2)')
  await settled()
  assert.deepEqual(inserted, [])
  requests[0]!.resolve('[plan.pdf](/1)')
  await settled()
  assert.deepEqual(inserted, ['[plan.pdf](/1)', '[second.png](/2)', '[third.png](/3)'])
})

test('files after one that failed or was cancelled are inserted', async () => {
  const { box, requests, inserted, add } = open()
  add('second.png')
  add('third.png')
  requests[1]!.resolve('[second.png](/2)')
  requests[2]!.resolve('[third.png](/3)')
  requests[0]!.reject(new Error('Gone.'))
  await settled()
  assert.deepEqual(inserted, ['[second.png](/2)', '[third.png](/3)'])
  add('fourth.png')
  add('fifth.png')
  requests[4]!.resolve('[fifth.png](/5)')
  await settled()
  box.list('dm 2')[3]!.cancel()
  assert.equal(inserted.at(-1), '[fifth.png](/5)')
})

test('a file that is too large is refused before it is sent', () => {
  const { box, requests, add } = open()
  add('pontoon.mov', 41 * 1024 * 1024)
  assert.equal(requests.length, 1)
  const { failure, retry } = box.list('dm 2')[1]!
  assert.equal(failure, 'The file is 41 MB. The limit is 25 MB.')
  assert.equal(retry, undefined)
})

test('the files of a message that was sent are forgotten, others go on', async () => {
  const { box, requests, add } = open()
  add('second.png')
  requests[0]!.resolve('[plan.pdf](/1)')
  await settled()
  box.clear('dm 2')
  assert.deepEqual(
    box.list('dm 2').map((one) => one.file.name),
    ['second.png'],
  )
})
