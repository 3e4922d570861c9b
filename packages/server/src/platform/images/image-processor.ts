import { type ChildProcess, fork } from 'node:child_process'
import { FairQueue } from '../fair-queue.ts'
import { ApiError } from '../http/api-error.ts'
import { moduleUrl } from '../installation.ts'
import { type ImageType, imageType } from './detect-type.ts'

/** A request to the child process. */
export type Request = { bytes: Buffer } & (
  | { task: 'measure' }
  | { task: 'fit'; width: number; height: number }
  | { task: 'squares'; sizes: number[] }
  | { task: 'emoji'; size: number; type: ImageType }
)

/** Null: the bytes are not an image, or the image is too large to decode. */
export type Answer = Measured | Buffer[] | null

export interface Measured {
  width: number
  height: number
}

const patienceMilliseconds = 15_000

export class BadImage extends ApiError {
  constructor(message = 'Could not decode image; did you upload an image file?') {
    super(message, 'BAD_IMAGE')
  }
}

/** An image re-encoded from its pixels, so that nothing else from the upload is passed on. */
export interface SquareImage {
  extension: 'png' | 'gif' | 'webp'
  image: Buffer
  /** The first frame, if the image is animated. */
  still: Buffer | undefined
}

/**
 * The owner of an image, and how to read its bytes. They are read when its turn comes, so that waiting costs no memory.
 */
export interface ImageSource {
  owner: string
  read(): Promise<Buffer>
}

export function squareImage(source: ImageSource, size: number): Promise<SquareImage> {
  return drawing.run(source.owner, async () => {
    const bytes = await source.read()
    const type = knownType(bytes)
    if (type !== 'gif' && type !== 'webp') {
      const [image] = await drawn({ task: 'squares', bytes, sizes: [size] })
      return { extension: 'png', image: image!, still: undefined }
    }
    const [image, still] = await drawn({ task: 'emoji', bytes, type, size })
    return { extension: still ? type : 'png', image: image!, still }
  })
}

/** The image as PNG squares of these sizes, without animation. */
export function stillSquares(source: ImageSource, sizes: number[]): Promise<Buffer[]> {
  return drawing.run(source.owner, async () => drawn({ task: 'squares', bytes: await knownBytes(source), sizes }))
}

/** The image as WebP no larger than this: a still version, and an animated one if the image is animated. */
export function fittedImages(source: ImageSource, { width, height }: Measured): Promise<Buffer[]> {
  return drawing.run(source.owner, async () => drawn({ task: 'fit', bytes: await knownBytes(source), width, height }))
}

/** Measuring is cheap and the uploader waits for it, so it does not queue behind images that are being encoded. */
export function measureImage({ owner, read }: ImageSource): Promise<Measured> {
  return measuring.run(owner, async () => (await inChild({ task: 'measure', bytes: await read() })) as Measured)
}

async function knownBytes({ read }: ImageSource): Promise<Buffer> {
  const bytes = await read()
  knownType(bytes)
  return bytes
}

function knownType(bytes: Buffer): ImageType {
  const type = imageType(bytes)
  if (!type) throw new BadImage('Invalid image format')
  return type
}

/** Two images at a time, because a large one takes hundreds of megabytes, and one per owner. */
const limits = { concurrency: 2, concurrencyPerOwner: 1, waitingPerOwner: 20, waitingInTotal: 500 }
const drawing = new FairQueue(limits)
const measuring = new FairQueue(limits)

async function drawn(request: Request): Promise<Buffer[]> {
  const files = (await inChild(request)) as Buffer[]
  return files.map((file) => Buffer.from(file))
}

/** Image decoders are a common target of attacks: a crash or endless loop ends a child process, not the server. */
function inChild(request: Request): Promise<NonNullable<Answer>> {
  const child = fork(moduleUrl('imageChild'), {
    serialization: 'advanced',
    env: {},
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Ctrl-C is for the server. A child killed by it would look like one that crashed on an image.
    detached: true,
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMilliseconds)
  return answerOf(child, request).finally(() => {
    clearTimeout(timer)
    child.kill('SIGKILL')
  })
}

function answerOf(child: ChildProcess, request: Request): Promise<NonNullable<Answer>> {
  return new Promise((resolve, reject) => {
    child.once('message', (answer: Answer) => (answer ? resolve(answer) : reject(new BadImage())))
    child.once('error', reject)
    child.once('exit', () => reject(new BadImage()))
    child.send(request)
  })
}
