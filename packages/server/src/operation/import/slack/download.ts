import { Readable } from 'node:stream'
import type { ArchiveFile } from '../../../platform/archives/foreign-archive.ts'
import { InternalHosts } from '../../../platform/outgoing/ip-addresses.ts'
import { guardedGet, OutgoingFailure } from '../../../platform/outgoing/safe-fetch.ts'

const host = 'https://files.slack.com/'
const limit = 256 * 1024 * 1024
const timeoutMilliseconds = 60_000
const attempts = 3
const internal = new InternalHosts([])

/** A file from Slack's own host, with the token that the export put into its URL. */
export async function download(url: string): Promise<ArchiveFile | undefined> {
  if (!url.startsWith(host)) return undefined
  for (let attempt = 1; attempt <= attempts; attempt++)
    try {
      const bytes = await guardedGet({ url, internal, limit, timeoutMilliseconds })
      return isSignIn(bytes, url)
        ? undefined
        : { size: bytes.length, stream: () => Readable.from([bytes], { objectMode: false }) }
    } catch (error) {
      if (!(error instanceof OutgoingFailure)) throw error
      if (!error.again) return undefined
    }
  return undefined
}

/** If the token is no longer valid, Slack answers with its page to sign in. */
function isSignIn(bytes: Buffer, url: string): boolean {
  const isPage = /^\s*<(!doctype html|html)/i.test(bytes.toString('latin1', 0, 200))
  return isPage && !/\.html?(\?|$)/i.test(url)
}
