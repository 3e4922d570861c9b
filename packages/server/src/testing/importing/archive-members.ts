import { gunzipSync } from 'node:zlib'
import { extract } from 'tar-stream'

/** The members of a .tar.gz by name. */
export async function membersOf(archive: Buffer): Promise<Map<string, Buffer>> {
  const members = new Map<string, Buffer>()
  const unpacked = extract()
  unpacked.end(gunzipSync(archive))
  for await (const entry of unpacked)
    members.set(entry.header.name, Buffer.concat(await Array.fromAsync(entry as AsyncIterable<Buffer>)))
  return members
}
