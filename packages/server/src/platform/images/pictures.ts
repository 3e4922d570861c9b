import { type ChildProcess, fork } from 'node:child_process'
import { ApiError } from '../http/api-error.ts'
import { type PictureType, pictureType } from './sniff.ts'

/** What the child is asked to do. */
export type Request = { bytes: Buffer } & (
  | { task: 'measure' }
  | { task: 'fit'; width: number; height: number }
  | { task: 'squares'; sizes: number[] }
  | { task: 'emoji'; size: number; type: PictureType }
)

/** Null: the bytes are no picture, or one that asks too much. */
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

/** A picture made anew from its pixels, so that nothing else of what was uploaded is passed on. */
export interface SquarePicture {
  extension: 'png' | 'gif' | 'webp'
  image: Buffer
  /** The first frame, if the picture moves. */
  still: Buffer | undefined
}

export async function squarePicture(bytes: Buffer, size: number): Promise<SquarePicture> {
  const type = knownType(bytes)
  if (type !== 'gif' && type !== 'webp') {
    const [image] = await stillSquares(bytes, [size])
    return { extension: 'png', image: image!, still: undefined }
  }
  const [image, still] = await drawn({ task: 'emoji', bytes, type, size })
  return { extension: still ? type : 'png', image: image!, still }
}

/** The picture as PNG squares of these sizes; one that moves stands still. */
export async function stillSquares(bytes: Buffer, sizes: number[]): Promise<Buffer[]> {
  knownType(bytes)
  return drawn({ task: 'squares', bytes, sizes })
}

/** The picture as WebP, no larger than this: standing still, and if it moves a second time, moving. */
export async function fittedPictures(bytes: Buffer, { width, height }: Measured): Promise<Buffer[]> {
  knownType(bytes)
  return drawn({ task: 'fit', bytes, width, height })
}

/** Looking at a picture takes little, and whoever uploads waits for it: not behind those that are being drawn. */
export function measurePicture(read: () => Promise<Buffer>): Promise<Measured> {
  return measuring.run(async () => (await inChild({ task: 'measure', bytes: await read() })) as Measured)
}

function knownType(bytes: Buffer): PictureType {
  const type = pictureType(bytes)
  if (!type) throw new BadImage('Invalid image format')
  return type
}

class Lane {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work)
    this.#last = mine.catch(() => {})
    return mine
  }
}

/** One picture at a time: large ones take hundreds of megabytes. */
const drawing = new Lane()
const measuring = new Lane()

async function drawn(request: Request): Promise<Buffer[]> {
  const files = (await drawing.run(() => inChild(request))) as Buffer[]
  return files.map((file) => Buffer.from(file))
}

/** Decoders are where uploads strike: a crash or a long loop in there ends a child, not the server. */
function inChild(request: Request): Promise<NonNullable<Answer>> {
  const child = fork(new URL('./child.ts', import.meta.url), {
    serialization: 'advanced',
    env: {},
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Ctrl-C is for the server; a child that died of it would look like one that a picture killed.
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
