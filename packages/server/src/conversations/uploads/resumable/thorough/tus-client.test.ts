import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import * as tus from 'tus-js-client'
import { closeContext, createContext } from '../../../../boot/create-context.ts'
import { buildApp } from '../../../../http/app.ts'
import { fetches, storedFiles } from '../../../../testing/files.ts'
import { until } from '../../../../testing/until.ts'
import { newWorld, type World } from '../../../../testing/world.ts'

/** A server of its own on the database and file store of the world. */
async function startNode(t: TestContext, { ctx }: World): Promise<string> {
  const own = await createContext(ctx.config, ctx.pool.options.connectionString!)
  const app = buildApp(own)
  t.after(async () => {
    await app.close()
    await closeContext(own)
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

const content = randomBytes(3_000_000)

function optionsFor({ ann, host }: World, node: string): tus.UploadOptions {
  return {
    endpoint: `${node}/api/v1/tus/`,
    headers: { ...ann.headers, host },
    metadata: { filename: 'video.bin', filetype: 'application/octet-stream' },
    chunkSize: 1_000_000,
    retryDelays: [0, 100],
  }
}

/** Uploads until `stopAt` bytes were acknowledged; returns the URL of the upload. */
function uploadPart(options: tus.UploadOptions, stopAt: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const upload = new tus.Upload(content, {
      ...options,
      onError: reject,
      onChunkComplete: (_size, accepted) => {
        if (accepted >= stopAt) void upload.abort().then(() => resolve(upload.url!))
      },
    })
    upload.start()
  })
}

function finish(options: tus.UploadOptions): Promise<{ url: string }> {
  return new Promise((resolve, reject) => {
    const onSuccess = ({ lastResponse }: tus.OnSuccessPayload) => resolve(JSON.parse(lastResponse.getBody()))
    new tus.Upload(content, { ...options, onError: reject, onSuccess }).start()
  })
}

test('an independent client interrupts an upload and finishes it on another server', async (t) => {
  const world = await newWorld()
  const [first, second] = [await startNode(t, world), await startNode(t, world)]
  const uploadUrl = await uploadPart(optionsFor(world, first), 2_000_000)
  const options = { ...optionsFor(world, second), uploadUrl: uploadUrl.replace(first, second) }
  const { url } = await finish(options)
  const file = await fetches(world, world.ann, url)
  assert.ok(file.rawPayload.equals(content))
})

test('bytes that arrived before the connection broke are kept', async (t) => {
  const world = await newWorld()
  const node = await startNode(t, world)
  const headers = { ...world.ann.headers, 'tus-resumable': '1.0.0' }
  const announced = { ...headers, 'upload-length': String(content.length) }
  const created = await world.app.inject({ method: 'POST', url: '/api/v1/tus', headers: announced })
  const url = String(created.headers.location)
  const upload = { ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
  const patch = request(node + url, { method: 'PATCH', headers: { ...upload, 'content-length': content.length } })
  patch.on('error', () => {})
  patch.write(content.subarray(0, 500_000), () => patch.destroy())

  const offset = async () => {
    const { headers: state } = await world.app.inject({ method: 'HEAD', url, headers })
    return Number(state['upload-offset'])
  }
  await until(async () => (await offset()) > 0)
  const { url: fileUrl } = await finish({ ...optionsFor(world, node), uploadUrl: node + url })
  assert.ok((await fetches(world, world.ann, fileUrl)).rawPayload.equals(content))
})

test('an independent client cancels an upload', async (t) => {
  const world = await newWorld()
  const node = await startNode(t, world)
  const options = optionsFor(world, node)
  const uploadUrl = await uploadPart(options, 1_000_000)
  assert.equal((await storedFiles(world)).length, 1)
  await tus.Upload.terminate(uploadUrl, options)
  const headers = { ...world.ann.headers, 'tus-resumable': '1.0.0' }
  assert.equal((await world.app.inject({ method: 'HEAD', url: uploadUrl, headers })).statusCode, 404)
})
