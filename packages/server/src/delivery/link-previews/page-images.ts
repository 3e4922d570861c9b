import type { Context } from '../../context.ts'
import { matches } from '../../platform/db/matches.ts'
import { many, maybeOne } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { fittedImages } from '../../platform/images/image-processor.ts'
import { fetchImage } from './fetch-page.ts'

type ImageDeps = Pick<Context, 'db' | 'config' | 'files'>

const size = { width: 500, height: 400 }
const keptDays = 30

interface PreviewImage {
  url_hash: Buffer
  image_url: string
  image_path: string | null
}

const fetching = new Map<string, Promise<string | undefined>>()

/**
 * The file of a preview's image. Readers get it from here, so that other servers do not learn who reads what. It is drawn
 * again from its pixels, and fetched once for all who ask at the same time. Undefined: there is none.
 */
export async function imageFile(deps: ImageDeps, realmId: number, token: string): Promise<string | undefined> {
  const image = await maybeOne<PreviewImage>(deps.db)`
    select url_hash, image_url, image_path from link_previews
     where realm_id = ${realmId} and image_token = ${token} and image_url is not null`
  if (!image) return undefined
  if (image.image_path !== null) return image.image_path
  const known = fetching.get(token)
  if (known) return known
  const work = storeImage(deps, realmId, token, image).finally(() => fetching.delete(token))
  fetching.set(token, work)
  return work
}

async function storeImage(deps: ImageDeps, realm_id: number, token: string, { image_url, url_hash }: PreviewImage) {
  const bytes = await fetchImage(deps, image_url)
  const path = `link_previews/${realm_id}/${token}.webp`
  if (!bytes) return undefined
  try {
    const [still] = await fittedImages({ owner: `${realm_id}`, read: async () => bytes }, size)
    await deps.files.put(path, still!)
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
  await deps.db
    .updateTable('link_previews')
    .set({ image_path: path })
    .where(matches({ realm_id, url_hash, image_token: token }))
    .execute()
  return path
}

interface OldImage {
  realm_id: number
  url_hash: Buffer
  image_path: string
}

/** Images that were stored long ago are fetched again when a reader needs them. */
export async function deleteOldImages({ db, files }: Pick<Context, 'db' | 'files'>): Promise<void> {
  const old = await many<OldImage>(db)`
    update link_previews p set image_path = null from link_previews before
     where p.realm_id = before.realm_id and p.url_hash = before.url_hash and p.image_path is not null
       and p.expires_at < now() - make_interval(days => ${keptDays})
    returning before.realm_id, before.url_hash, before.image_path as image_path`
  for (const { image_path } of old) await files.delete(image_path)
}
