// Run as a process of its own (see pictures.ts): takes pictures apart, one request, one answer.
import sharp from 'sharp'
import type { Answer, Request } from './pictures.ts'

/** Over all frames of an animation. */
const maxPixels = 90_000_000
const seconds = 8

sharp.concurrency(1)
sharp.cache(false)

process.once('message', (request: Request) => {
  void work(request).then(
    (files) => answer({ files }),
    () => answer({ files: null }),
  )
})

function answer(message: Answer): void {
  process.send?.(message, undefined, undefined, () => process.disconnect?.())
}

function work(request: Request): Promise<Buffer[]> {
  return request.keepAnimation ? emoji(request) : Promise.all(request.sizes.map((size) => still(request, size)))
}

/** The picture, and if it moves also its first frame standing still. */
async function emoji({ bytes, sizes: [size], type }: Request): Promise<Buffer[]> {
  const { pages = 1 } = await sharp(bytes, { limitInputPixels: maxPixels, animated: true }).metadata()
  const first = await still({ bytes }, size!)
  if (pages === 1) return [first]
  const moving = sharp(bytes, { limitInputPixels: maxPixels, animated: true, failOn: 'error' })
    .timeout({ seconds })
    .resize(size!, size!, { fit: 'cover' })
  return [await (type === 'gif' ? moving.gif() : moving.webp()).toBuffer(), first]
}

function still({ bytes }: Pick<Request, 'bytes'>, size: number): Promise<Buffer> {
  return sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error' })
    .timeout({ seconds })
    .rotate() // as the camera says
    .resize(size, size, { fit: 'cover' })
    .png()
    .toBuffer()
}
