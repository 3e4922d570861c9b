import { hash } from 'node:crypto'
import type { PagePreview } from '@parley/markdown/context'
import { sql } from 'kysely'
import type { Database, Db } from '../../platform/db/pool.ts'
import { column, many } from '../../platform/db/query.ts'
import { newToken } from '../../platform/secrets.ts'
import type { PageFacts } from './page-facts.ts'

const keptDays = 7
const keptHoursOfFailures = 1

export const hashOfUrl = (url: string): Buffer => hash('sha256', url, 'buffer')

interface KnownPage {
  url: string
  title: string | null
  description: string | null
  image_url: string | null
  image_token: string | null
  is_fresh: boolean
}

export async function readKnownPages(db: Db, realmId: number, urls: string[]): Promise<KnownPage[]> {
  return many<KnownPage>(db)`
    select url, title, description, image_url, image_token, expires_at > now() as is_fresh from link_previews
     where realm_id = ${realmId} and url_hash = any(${urls.map(hashOfUrl)}::bytea[])`
}

/** Stores what a page says, or that there is nothing to show. The image keeps its URL as long as the page names it. */
export async function storePage(
  db: Database,
  realmId: number,
  url: string,
  facts: PageFacts | undefined,
): Promise<void> {
  const { title = null, description = null, image = null } = facts ?? {}
  const hours = facts ? keptDays * 24 : keptHoursOfFailures
  await sql`
    insert into link_previews as p (realm_id, url_hash, url, title, description, image_url, image_token, expires_at)
    values (${realmId}, ${hashOfUrl(url)}, ${url}, ${title}, ${description}, ${image}, ${image && newToken()},
            now() + make_interval(hours => ${hours}))
    on conflict (realm_id, url_hash) do update
       set title = excluded.title, description = excluded.description, image_url = excluded.image_url,
           expires_at = excluded.expires_at,
           image_token = case when p.image_url = excluded.image_url then p.image_token else excluded.image_token end,
           image_path = case when p.image_url = excluded.image_url then p.image_path end`.execute(db)
}

/** Clients expect an image in each preview, so a page without one is not shown. */
export function previewsOf(pages: KnownPage[], urls: string[]): PagePreview[] {
  const byUrl = new Map(pages.map((page) => [page.url, page]))
  return urls.flatMap((url) => {
    const { title, description, image_token, image_url } = byUrl.get(url) ?? {}
    if (!image_token || !image_url) return []
    const image = `/external_content/${image_token}/${Buffer.from(image_url).toString('hex')}`
    return [{ url, image, ...(title && { title }), ...(description && { description }) }]
  })
}

export async function readHidden(db: Db, realmId: number, messageId: number, urls: string[]): Promise<Set<string>> {
  const hashes = await column<string>(db)`
    select encode(url_hash, 'hex') from hidden_previews where realm_id = ${realmId} and message_id = ${messageId}`
  return new Set(urls.filter((url) => hashes.includes(hashOfUrl(url).toString('hex'))))
}
