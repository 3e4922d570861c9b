import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipEntry {
  name: string
  content: string | Buffer
  /** Unix file type and permissions. */
  mode?: number
}

/** A zip file. Names are written as they are, even those that lead out of it. */
export function zipOf(entries: ZipEntry[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { name, content, mode = 0o100644 } of entries) {
    const [path, bytes] = [Buffer.from(name), Buffer.from(content)]
    const packed = deflateRawSync(bytes)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0) // version
    common.writeUInt16LE(0x0800, 2) // names are UTF-8
    common.writeUInt16LE(8, 4) // deflate
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(bytes.length, 18)
    common.writeUInt16LE(path.length, 22)
    const end = Buffer.alloc(14)
    end.writeUInt32LE((mode << 16) >>> 0, 6)
    end.writeUInt32LE(at, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), common, end, path)
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, path, packed])
    parts.push(local)
    at += local.length
  }
  const central = Buffer.concat(directory)
  const last = Buffer.alloc(22)
  last.write('PK\x05\x06', 0, 'latin1')
  last.writeUInt16LE(entries.length, 8)
  last.writeUInt16LE(entries.length, 10)
  last.writeUInt32LE(central.length, 12)
  last.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, central, last])
}
