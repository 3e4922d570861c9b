// Runs as a separate process (see image-processor.ts) that decodes images: one request, one response.
import sharp, { type Sharp } from 'sharp'
import type { Answer, Measured, Request } from './image-processor.ts'

/** Over all frames of an animation. */
const maxPixels = 90_000_000
const seconds = 8

sharp.concurrency(1)
sharp.cache(false)

process.once('message', (request: Request) => {
  void work(request).then(answer, () => answer(null))
})

function answer(message: Answer): void {
  process.send?.(message, undefined, undefined, () => process.disconnect?.())
}

function work(request: Request): Promise<Answer> {
  switch (request.task) {
    case 'measure':
      return measure(request.bytes)
    case 'fit':
      return fitted(request)
    case 'emoji':
      return emoji(request)
    case 'squares':
      return Promise.all(request.sizes.map((size) => still(request.bytes, size)))
  }
}

/** The size as displayed; the orientation in the file can swap width and height. */
async function measure(bytes: Buffer): Promise<Measured> {
  const { autoOrient } = await sharp(bytes, { limitInputPixels: maxPixels }).metadata()
  return { width: autoOrient.width, height: autoOrient.height }
}

/** The image scaled down, and also its animation if it has one. */
async function fitted({ bytes, width, height }: Extract<Request, { task: 'fit' }>): Promise<Buffer[]> {
  const fit = (image: Sharp) =>
    image.resize(width, height, { fit: 'inside', withoutEnlargement: true }).webp().toBuffer()
  const first = await fit(opened(bytes).autoOrient())
  const frames = await affordableFrames(bytes)
  return frames === 1 ? [first] : [first, await fit(opened(bytes, { pages: frames }))]
}

/** An animation that is too large is cut short; if even two frames are too large, only a still image remains. */
async function affordableFrames(bytes: Buffer): Promise<number> {
  const { width, height, pages = 1 } = await sharp(bytes, { limitInputPixels: maxPixels }).metadata()
  return Math.min(pages, Math.floor(maxPixels / (width * height)))
}

/** The image, and its first frame as a still image if it is animated. */
async function emoji({ bytes, size, type }: Extract<Request, { task: 'emoji' }>): Promise<Buffer[]> {
  const { pages = 1 } = await sharp(bytes, { limitInputPixels: maxPixels, animated: true }).metadata()
  const first = await still(bytes, size)
  if (pages === 1) return [first]
  const moving = opened(bytes, { animated: true }).resize(size, size, { fit: 'cover' })
  return [await (type === 'gif' ? moving.gif() : moving.webp()).toBuffer(), first]
}

function still(bytes: Buffer, size: number): Promise<Buffer> {
  return opened(bytes)
    .rotate() // applies the orientation in the EXIF data
    .resize(size, size, { fit: 'cover' })
    .png()
    .toBuffer()
}

function opened(bytes: Buffer, options: { animated?: boolean; pages?: number } = {}): Sharp {
  return sharp(bytes, { ...options, limitInputPixels: maxPixels, failOn: 'error' }).timeout({ seconds })
}
