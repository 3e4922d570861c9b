import type { Readable } from 'node:stream'

export interface StoredFile {
  size: number
  /** The bytes from `start` to `end`, both included; all of them unless told otherwise. */
  read(range?: { start: number; end: number }): Readable
  /** Whoever does not read must close. */
  close(): Promise<void>
}

/** Where files lie. A path is made by the program, never by a user. */
export interface FileStore {
  /** Stores a file whole or not at all, and returns its size once it is safely stored. */
  put(path: string, content: Readable | Buffer): Promise<number>
  /** Undefined: there is no such file. */
  open(path: string): Promise<StoredFile | undefined>
  /** A file that is not there is no error: it may have been deleted before a crash. */
  delete(path: string): Promise<void>
  /** Removes what crashes have left behind. */
  removeUnfinished(): Promise<void>
}
