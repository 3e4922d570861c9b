import { spawnSync } from 'node:child_process'
import { createReadStream, createWriteStream, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createGunzip, createGzip, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** One file for each release: a backup that it made of its own data, and what that contains. */
export const storedFolder = join(import.meta.dirname, 'stored')

/** What must be there after every upgrade. It is stored beside the backup, because later versions store more. */
export interface Expected {
  version: string
  /** All accounts and messages of the organization. */
  accounts: number
  messages: number
  person: { email: string; full_name: string; password: string; api_key: string }
  message: { id: number; content: string; emoji_name: string }
  file: { url: string; content: string }
}

const expectedFile = 'expected.json'
const largest = 5 * 1024 * 1024

/** Everything in one compressed file. The database is compressed once, with the rest: that makes it four times smaller. */
export async function storeBackup(folder: string, base: string, expected: Expected): Promise<string> {
  await pipeline(
    createReadStream(join(base, 'base.tar.gz')),
    createGunzip(),
    createWriteStream(join(base, 'base.tar'), { mode: 0o600 }),
  )
  await rm(join(base, 'base.tar.gz'))
  writeFileSync(join(folder, expectedFile), JSON.stringify(expected, null, 2))
  const packed = tar(['--create', '--sort=name', '--owner=0', '--group=0', '--directory', folder, '.'])
  const { ZSTD_c_compressionLevel, ZSTD_c_windowLog } = constants
  const file = zstdCompressSync(packed, { params: { [ZSTD_c_compressionLevel]: 19, [ZSTD_c_windowLog]: 27 } })
  if (file.length > largest) throw new Error(`The backup takes ${file.length} bytes: store less.`)
  mkdirSync(storedFolder, { recursive: true })
  const path = join(storedFolder, `${expected.version}.tar.zst`)
  writeFileSync(path, file)
  return path
}

/** Makes a folder for `parley restore`. */
export async function unpackBackup(path: string, folder: string): Promise<Expected> {
  const { ZSTD_d_windowLogMax } = constants
  const packed = zstdDecompressSync(readFileSync(path), { params: { [ZSTD_d_windowLogMax]: 27 } })
  tar(['--extract', '--no-same-owner', '--directory', folder], packed)
  const [base] = tar(['--list', '--wildcards', './base-*/base.tar'], packed).toString().trim().split('\n')
  const plain = join(folder, base!)
  const target = createWriteStream(`${plain}.gz`, { mode: 0o600 })
  await pipeline(createReadStream(plain), createGzip({ level: 1 }), target)
  rmSync(plain)
  return JSON.parse(readFileSync(join(folder, expectedFile), 'utf8'))
}

function tar(args: string[], input?: Buffer): Buffer {
  const options = { ...(input && { input }), maxBuffer: 1024 * 1024 * 1024 }
  const { status, stdout, stderr } = spawnSync('tar', args, options)
  if (status !== 0) throw new Error(`tar failed: ${stderr}`)
  return stdout
}
