import type { Config } from '../../config.ts'
import { FairQueue, QueueFull } from '../../platform/fair-queue.ts'
import { InternalHosts } from '../../platform/outgoing/ip-addresses.ts'
import { guardedPage, OutgoingFailure, type Page } from '../../platform/outgoing/safe-fetch.ts'
import { factsOf, type PageFacts } from './page-facts.ts'

const milliseconds = 5000
const largestHead = 256 * 1024
export const largestImage = 8 * 1024 * 1024

/** No site is asked for more than two things at once. */
const bySite = new FairQueue({ concurrency: 100, concurrencyPerOwner: 2, waitingPerOwner: 20, waitingInTotal: 1000 })

export interface FetchDeps {
  config: Pick<Config, 'internalPreviews'>
}

/** Undefined if there is no such page, or none that can be read. Throws `QueueFull` if its site is asked too often. */
export async function fetchFacts(deps: FetchDeps, url: string, signal: AbortSignal): Promise<PageFacts | undefined> {
  const page = await fetchFrom(deps, url, { accept: 'text/html', limit: largestHead, isCut: true, signal })
  if (!page || !/^(text\/html|application\/xhtml\+xml)\b/i.test(page.contentType)) return undefined
  return factsOf(textOf(page), page.url)
}

export async function fetchImage(deps: FetchDeps, url: string): Promise<Buffer | undefined> {
  return (await fetchFrom(deps, url, { accept: 'image/*', limit: largestImage, isCut: false }))?.bytes
}

interface Wanted {
  accept: string
  limit: number
  isCut: boolean
  signal?: AbortSignal
}

async function fetchFrom({ config }: FetchDeps, url: string, wanted: Wanted): Promise<Page | undefined> {
  const { accept, ...more } = wanted
  const internal = new InternalHosts(config.internalPreviews)
  const headers = { accept, 'user-agent': 'Parley-Preview/1.0' }
  try {
    return await bySite.run(new URL(url).hostname, () =>
      guardedPage({ ...more, url, internal, headers, timeoutMilliseconds: milliseconds }),
    )
  } catch (error) {
    if (error instanceof OutgoingFailure && !(wanted.signal?.aborted ?? false)) return undefined
    throw error
  }
}

export function isBusy(error: unknown): boolean {
  return error instanceof QueueFull
}

/** Pages name their character set in the header or near their beginning. Unknown names mean UTF-8. */
function textOf({ contentType, bytes }: Page): string {
  const start = bytes.subarray(0, 2048).toString('latin1')
  const [, name = 'utf-8'] =
    /charset=["']?([\w-]{1,40})/i.exec(contentType) ?? /charset=["']?([\w-]{1,40})/i.exec(start) ?? []
  try {
    return new TextDecoder(name).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}
