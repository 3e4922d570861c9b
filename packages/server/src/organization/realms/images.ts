import { randomBytes } from 'node:crypto'
import type { Realm } from '../../callers/realm-state.ts'
import type { Tx } from '../../events/transact.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { fittedImages, type ImageSource, stillSquares } from '../../platform/images/image-processor.ts'
import { realmIcon } from './icon.ts'

export type ImageKind = 'icon' | 'logo' | 'night_logo'

/** Side lengths of the icon in pixels: for lists, and for the home screens of devices. */
const iconSize = 100
const largeIconSize = 512
const smallSuffix = `-${iconSize}.png`
const logoSize = { width: 800, height: 100 }

/** The large version of an icon. Icons from before there was one have none. */
export function largeIcon(path: string | null): string | undefined {
  return path?.endsWith(smallSuffix) ? path.replace(smallSuffix, `-${largeIconSize}.png`) : undefined
}

/** Where an uploaded image is stored, by the path that the realm's row contains. */
export function imageFile(path: string): string {
  return `realm_images/${path}`
}

/** The URLs and sources of the images, as `POST /register` names them without `realm_`. */
export function imagesOf(realm: Realm) {
  const standard = realmIcon(realm)
  return {
    icon_url: urlOf(realm.icon_path) ?? standard,
    icon_source: realm.icon_path === null ? 'G' : 'U',
    logo_url: urlOf(realm.logo_path) ?? standard,
    logo_source: realm.logo_path === null ? 'D' : 'U',
    night_logo_url: urlOf(realm.night_logo_path) ?? standard,
    night_logo_source: realm.night_logo_path === null ? 'D' : 'U',
  }
}

/** The uploaded images of a realm: what they are called in an export, and where they are stored. */
export function imageFiles(realm: Pick<Realm, 'icon_path' | 'logo_path' | 'night_logo_path'>) {
  return [
    ...namedFiles(realm.icon_path, ['icon.png', 'icon-large.png']),
    ...namedFiles(realm.logo_path, ['logo.webp']),
    ...namedFiles(realm.night_logo_path, ['night_logo.webp']),
  ]
}

function namedFiles(path: string | null, names: string[]): { name: string; path: string }[] {
  return path === null ? [] : filesOf(path).map((file, index) => ({ name: names[index]!, path: file }))
}

/** Undefined for null: the image was not uploaded. */
export function urlOf(path: string | null): string | undefined {
  return path === null ? undefined : `/user_avatars/${path.replace('/', '/realm/')}`
}

/**
 * Stores the image, drawn again from its pixels, and passes its path to `work`. Files are written first: a crash may
 * leave an unused file, but never a realm whose image is missing.
 */
export async function storingImage<T>(
  files: FileStore,
  realmId: number,
  kind: ImageKind,
  source: ImageSource,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const isIcon = kind === 'icon'
  const images = isIcon ? await stillSquares(source, [iconSize, largeIconSize]) : await fittedImages(source, logoSize)
  const path = `${realmId}/${randomBytes(16).toString('hex')}${isIcon ? smallSuffix : '.webp'}`
  for (const [index, file] of filesOf(path).entries()) await files.put(file, images[index]!)
  try {
    return await work(path)
  } catch (error) {
    // After other errors the transaction may have committed, so the files stay.
    if (error instanceof ApiError) for (const file of filesOf(path)) await files.delete(file)
    throw error
  }
}

function filesOf(path: string): string[] {
  const large = largeIcon(path)
  return [imageFile(path), ...(large === undefined ? [] : [imageFile(large)])]
}

/** Assigns an uploaded image; null restores the default one. Returns the images of the realm. */
export async function changeImage(tx: Tx, realm: Realm, kind: ImageKind, path: string | null) {
  const column = `${kind}_path` as const
  const images = imagesOf({ ...realm, [column]: path })
  if (realm[column] === path) return images
  await tx.db
    .updateTable('realms')
    .set({ [column]: path })
    .where('id', '=', tx.realmId)
    .execute()
  const data = Object.fromEntries(
    Object.entries(images).filter(([name]) => name.replace(/_(url|source)$/, '') === kind),
  )
  tx.emit({ type: 'realm', op: 'update_dict', property: kind, data }, { realm: 'everyone' }, { access: true })
  for (const file of realm[column] === null ? [] : filesOf(realm[column]))
    await tx.enqueue('delete_file', { path: file })
  return images
}
