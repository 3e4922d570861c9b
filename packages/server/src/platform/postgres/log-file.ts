import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { DataDir } from './data-dir.ts'
import { openPrivate, replacePrivate } from './private-file.ts'

const maxBytes = 8 * 1024 * 1024
const checkEvery = 60_000

/** PostgreSQL writes its log through our file descriptor: no pipe that breaks when we exit, no collector process. */
export interface LogFile {
  fd: number
  /** Returns what was written since the given position. */
  readFrom(position: number): Promise<string>
  size(): Promise<number>
  close(): Promise<void>
}

export async function openLogFile(dir: DataDir): Promise<LogFile> {
  const file = await openPrivate(dir.log, constants.O_RDWR | constants.O_APPEND, dir.owner)
  await capSize(file, dir)
  // If truncating the log fails now (disk full), it is retried a minute later.
  const timer = setInterval(() => void capSize(file, dir).catch(() => {}), checkEvery)
  timer.unref()
  return {
    fd: file.fd,
    readFrom: (position) => readFrom(file, position),
    size: async () => (await file.stat()).size,
    close: async () => {
      clearInterval(timer)
      await file.close()
    },
  }
}

/** Copies and truncates: the running PostgreSQL writes in append mode and continues at the new end. */
async function capSize(file: FileHandle, dir: DataDir): Promise<void> {
  const { size } = await file.stat()
  if (size < maxBytes) return
  const newest = Buffer.alloc(maxBytes)
  await file.read(newest, 0, maxBytes, size - maxBytes)
  await replacePrivate(`${dir.log}.1`, newest, dir.owner)
  await file.truncate()
}

async function readFrom(file: FileHandle, position: number): Promise<string> {
  const buffer = Buffer.alloc(64 * 1024)
  const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
  return buffer.toString('utf8', 0, bytesRead)
}
