import { type ChildProcess, fork } from 'node:child_process'
import { ApiError } from '../http/api-error.ts'
import { type PictureType, pictureType } from './sniff.ts'

export interface Request {
  bytes: Buffer
  type: PictureType
  sizes: number[]
  keepAnimation: boolean
}

export interface Answer {
  /** Null: the bytes are no picture, or one that asks too much. */
  files: Buffer[] | null
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
  const [image, still] = await inTurn({ bytes, type, sizes: [size], keepAnimation: type === 'gif' || type === 'webp' })
  return { extension: still ? (type as 'gif' | 'webp') : 'png', image: image!, still }
}

/** The picture as PNG squares of these sizes; one that moves stands still. */
export function stillSquares(bytes: Buffer, sizes: number[]): Promise<Buffer[]> {
  return inTurn({ bytes, type: knownType(bytes), sizes, keepAnimation: false })
}

function knownType(bytes: Buffer): PictureType {
  const type = pictureType(bytes)
  if (!type) throw new BadImage('Invalid image format')
  return type
}

let last: Promise<unknown> = Promise.resolve()

/** One picture at a time: large ones take hundreds of megabytes. */
function inTurn(request: Request): Promise<Buffer[]> {
  const mine = last.then(() => inChild(request))
  last = mine.catch(() => {})
  return mine
}

/** Decoders are where uploads strike: a crash or a long loop in there ends a child, not the server. */
function inChild(request: Request): Promise<Buffer[]> {
  const child = fork(new URL('./child.ts', import.meta.url), {
    serialization: 'advanced',
    env: {},
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMilliseconds)
  return answerOf(child, request).finally(() => {
    clearTimeout(timer)
    child.kill('SIGKILL')
  })
}

function answerOf(child: ChildProcess, request: Request): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    child.once('message', ({ files }: Answer) =>
      files ? resolve(files.map((file) => Buffer.from(file))) : reject(new BadImage()),
    )
    child.once('error', reject)
    child.once('exit', () => reject(new BadImage()))
    child.send(request)
  })
}
