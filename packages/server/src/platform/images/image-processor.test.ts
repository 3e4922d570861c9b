import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { measureImage, squareImage, stillSquares } from './image-processor.ts'

const tasks = {
  measureImage,
  squareImage: (source: Parameters<typeof squareImage>[0]) => squareImage(source, 10),
  stillSquares: (source: Parameters<typeof squareImage>[0]) => stillSquares(source, [10]),
}

for (const [name, task] of Object.entries(tasks))
  test(`the bytes of a waiting image are not read yet (${name})`, async () => {
    const owner = 'ann'
    const first = Promise.withResolvers<Buffer>()
    let reads = 0
    const read = async () => {
      reads++
      return Buffer.from('not an image')
    }
    const results = [task({ owner, read: () => first.promise }), task({ owner, read }), task({ owner, read })]
    await sleep(20)
    assert.equal(reads, 0)
    first.resolve(Buffer.from('not an image either'))
    await Promise.allSettled(results)
    assert.equal(reads, 2)
  })
