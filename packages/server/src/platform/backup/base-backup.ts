import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { reasonOf, StartupError } from '../postgres/startup-error.ts'
import type { Replication } from './replication.ts'
import { tarMembers } from './tar-reader.ts'
import { lsnOf, segmentName } from './wal-segments.ts'

const archiveName = 'base.tar.gz'
const manifestName = 'backup_manifest'

/** Copies the cluster while it serves, with the WAL that makes the copy consistent. */
export async function takeBaseBackup(replication: Replication, folder: string): Promise<void> {
  const gzip = createGzip({ level: 1 })
  const output = createWriteStream(join(folder, archiveName), { flags: 'wx', mode: 0o600, flush: true })
  const stored = pipeline(gzip, output)
  const manifest: Buffer[] = []
  let archives = 0
  let part: 'archive' | 'manifest' | undefined
  const options = `LABEL 'parley', CHECKPOINT 'fast', WAL true, MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256'`
  const copied = replication.copy(`BASE_BACKUP (${options})`, async (chunk) => {
    const [kind, content] = [String.fromCharCode(chunk[0]!), chunk.subarray(1)]
    if (kind === 'n' && ++archives > 1) throw new StartupError('Databases with tablespaces cannot be backed up.')
    if (kind === 'n') part = 'archive'
    else if (kind === 'm') part = 'manifest'
    else if (kind === 'd' && part === 'archive') await written(gzip, content)
    else if (kind === 'd') manifest.push(content)
  })
  await Promise.all([stored.catch(cannotWrite), copied.then(() => gzip.end())])
  await writeFile(join(folder, manifestName), Buffer.concat(manifest), { flag: 'wx', mode: 0o600, flush: true })
}

function cannotWrite(error: Error): never {
  throw new StartupError(`The backup cannot be written: ${reasonOf(error)}.`, { cause: error })
}

function written(stream: Writable, content: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(content, (error) => (error ? reject(error) : resolve()))
  })
}

export function readArchive(folder: string): Readable {
  const gunzip = createGunzip()
  createReadStream(join(folder, archiveName))
    .on('error', (error) => gunzip.destroy(error))
    .pipe(gunzip)
  return gunzip
}

export interface Manifest {
  Files: { Path: string; Size: number; Checksum: string }[]
  'WAL-Ranges': { Timeline: number; 'Start-LSN': string; 'End-LSN': string }[]
}

/** The manifest of a backup. Its last line is the checksum of the others. */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, manifestName)
  return parseManifest(await readFile(path, 'utf8'), path)
}

/** `place` is named if it is damaged. */
export function parseManifest(text: string, place: string): Manifest {
  const end = text.lastIndexOf('"Manifest-Checksum"')
  const manifest = JSON.parse(text) as Manifest & { 'Manifest-Checksum': string }
  if (createHash('sha256').update(text.slice(0, end)).digest('hex') !== manifest['Manifest-Checksum'])
    throw new StartupError(`${place} is damaged: use another backup.`)
  return manifest
}

/** The name of the first WAL segment that the copy needs. */
export function firstSegmentOf({ 'WAL-Ranges': [range] }: Manifest): string {
  return segmentName(range!.Timeline, lsnOf(range!['Start-LSN']))
}

/** Compares every file of the archive with the manifest that PostgreSQL made. */
export async function verifyBaseBackup(folder: string): Promise<void> {
  const { Files } = await readManifest(folder)
  const expected = new Map(Files.map((file) => [file.Path, file]))
  for await (const { name, content } of tarMembers(readArchive(folder))) {
    const file = expected.get(name)
    const hash = createHash('sha256')
    for await (const chunk of content) if (file) hash.update(chunk)
    if (file && hash.digest('hex') !== file.Checksum) throw damaged(folder, name)
    expected.delete(name)
  }
  const [missing] = expected.keys()
  if (missing !== undefined) throw damaged(folder, missing)
}

function damaged(folder: string, name: string): StartupError {
  return new StartupError(`The backup ${folder} is damaged (${name}): use another one.`)
}
