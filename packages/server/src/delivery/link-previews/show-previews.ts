import { withPagePreviews } from '@parley/markdown/media/page-previews'
import type { Realm } from '../../callers/realm-state.ts'
import { type Commits, type Context, transactIn } from '../../context.ts'
import { changeRendering } from '../../conversations/messages/rendering/previews.ts'
import type { Tx } from '../../events/transact.ts'
import { knownUrlOf } from '../../organization/realms/hosts.ts'
import type { Db } from '../../platform/db/pool.ts'
import { maybeOne } from '../../platform/db/query.ts'
import { fetchFacts, isBusy } from './fetch-page.ts'
import { previewsOf, readHidden, readKnownPages, storePage } from './known-pages.ts'
import { finishPending, maxAttempts, takePending } from './pending.ts'

type RenderDeps = Pick<Context, 'config' | 'renderer'>
type PreviewDeps = Commits & RenderDeps & Pick<Context, 'realms'>

/** As in Zulip: a message with more links is a list of links. */
const maxUrls = 5

/** Fetches the pages that a message links to and shows them. Returns false: a message has nothing more to do. */
export async function deliverPreviews(ctx: PreviewDeps, realmId: number, messageId: number, signal: AbortSignal) {
  const attempts = await takePending(ctx.db, realmId, messageId)
  if (attempts === undefined) return false
  const { realm } = await ctx.realms.get(realmId) // not in the transaction, which would wait for a second connection
  const urls = attempts > maxAttempts ? [] : await urlsOf(ctx, ctx.db, realm, messageId)
  try {
    await fetchMissing(ctx, realmId, urls, signal)
  } catch (error) {
    if (signal.aborted || isBusy(error)) return false // it is due again in a minute
    throw error
  }
  await transactIn(ctx, realmId, async (tx) => {
    if (urls.length > 0) await showPreviews(tx, ctx, realm, messageId)
    await finishPending(tx.db, realmId, messageId, attempts)
  })
  return false
}

async function fetchMissing(ctx: PreviewDeps, realmId: number, urls: string[], signal: AbortSignal): Promise<void> {
  const fresh = (await readKnownPages(ctx.db, realmId, urls)).flatMap(({ url, is_fresh }) => (is_fresh ? [url] : []))
  const missing = urls.filter((url) => !fresh.includes(url))
  await Promise.all(missing.map(async (url) => storePage(ctx.db, realmId, url, await fetchFacts(ctx, url, signal))))
}

/** Shows what is known about the pages that a message links to, except those that were hidden. */
export async function showPreviews(tx: Tx, deps: RenderDeps, realm: Realm, messageId: number): Promise<void> {
  const urls = await urlsOf(deps, tx.db, realm, messageId)
  const hidden = await readHidden(tx.db, tx.realmId, messageId, urls)
  const shown = urls.filter((url) => !hidden.has(url))
  const pages = previewsOf(await readKnownPages(tx.db, tx.realmId, shown), shown)
  await changeRendering(tx, messageId, async ({ rendered_content }) => ({
    rendered_content: withPagePreviews(rendered_content, pages),
  }))
}

/** The URLs of a message that may be previewed; none if the organization does not want it there. */
export async function urlsOf({ config, renderer }: RenderDeps, db: Db, realm: Realm, id: number): Promise<string[]> {
  const message = await maybeOne<{ content: string; is_public: boolean }>(db)`
    select m.content, c.id is not null and not c.invite_only as is_public
      from messages m left join channels c on c.realm_id = m.realm_id and c.id = m.channel_id
     where m.realm_id = ${realm.id} and m.id = ${id}`
  const { inline_url_embed_preview, preview_private_conversations } = realm.settings
  if (!message || !inline_url_embed_preview) return []
  if (!message.is_public && !preview_private_conversations) return []
  const realmUrl = knownUrlOf(config, realm)
  const { previewUrls } = renderer.renderNow(message.content, realmUrl === undefined ? {} : { realmUrl })
  return previewUrls.length > maxUrls ? [] : previewUrls.filter((url) => isAllowed(url, realm))
}

function isAllowed(url: string, { settings }: Realm): boolean {
  const host = URL.parse(url)?.hostname
  const isIn = (list: string) =>
    list.split(/[\s,]+/).some((domain) => domain !== '' && (host === domain || host?.endsWith(`.${domain}`)))
  const { preview_domains_allowed: allowed, preview_domains_denied: denied } = settings
  return host !== undefined && !isIn(denied.toLowerCase()) && (allowed.trim() === '' || isIn(allowed.toLowerCase()))
}
