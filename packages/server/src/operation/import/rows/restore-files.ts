import { buffer } from 'node:stream/consumers'
import { transactIn } from '../../../context.ts'
import { contentTypeOf, fitsTypeDetection, sanitizedName } from '../../../conversations/uploads/file-names.ts'
import { uploadPath } from '../../../conversations/uploads/paths.ts'
import { emojiPath, storeEmoji } from '../../../organization/emoji/actions.ts'
import { changeImage, type ImageKind, storingImage as storingRealmImage } from '../../../organization/realms/images.ts'
import { avatarFiles, storingImage } from '../../../people/users/avatars/avatars.ts'
import type { ArchiveFile } from '../../../platform/archives/foreign-archive.ts'
import { imageType } from '../../../platform/images/detect-type.ts'
import { BadImage, measureImage, squareImage } from '../../../platform/images/image-processor.ts'
import { firstBytes } from '../first-bytes.ts'
import type { Directory } from './references-here.ts'
import { type RowRun, restoreWithIds, rowsOf } from './restore-rows.ts'
import type { StoredImage } from './row-source.ts'
import { clean, idsIn, type Row, short, timestampIn } from './row-values.ts'

const largestImage = 10 * 1024 * 1024
const emojiSide = 64

/** Uploaded files. Those that are not in the archive are listed, and links to them lead nowhere, as in the source. */
export async function restoreFiles(run: RowRun, directory: Directory): Promise<Row[]> {
  const { ids, plan, open, archive, ctx } = run
  const rows: Row[] = []
  for (const row of await rowsOf(run, 'files')) {
    const path = open.upload(clean(row.path_id))
    if (await archive.find(path)) rows.push(row)
    else plan.problem({ kind: 'missing', place: `file ${String(row.id)}`, error: `no file ${path}` })
  }
  const written = await restoreWithIds(run, 'file', 'files', rows, async (row) => {
    const file = (await archive.find(open.upload(clean(row.path_id))))!
    const path_id = pathHere(run, row)
    const { type, size } = await describe(run, file, row)
    await ctx.files.put(uploadPath(path_id), file.stream(), file.size)
    if (size) directory.images.set(path_id, { path_id, content_type: type, ...size, thumbnail_ready: false })
    return {
      owner_id: ids.need('user', row.owner_id),
      name: short(row.name, 500) || 'uploaded-file',
      path_id,
      content_type: type,
      size: file.size,
      width: size?.width ?? null,
      height: size?.height ?? null,
      is_claimed: true,
      create_time: timestampIn(row, 'create_time'),
    }
  })
  plan.count('files written', written.length)
  return rows
}

/** The path of the source in our organization: only the number of the organization differs. */
function pathHere({ realm }: RowRun, { path_id }: Row): string {
  const [, place, name] = /^\d{1,12}\/([0-9a-f]{1,2}\/[\w-]{8,64})\/([^/]+)$/.exec(clean(path_id)) ?? []
  if (place === undefined || sanitizedName(name!) !== name)
    throw new Error(`its path ${clean(path_id)} is not as it must be`)
  return `${realm.id}/${place}/${name}`
}

async function describe({ realm }: RowRun, file: ArchiveFile, row: Row) {
  const head = await firstBytes(file, fitsTypeDetection)
  const type = contentTypeOf(head, clean(row.content_type))
  if (!type.startsWith('image/') || file.size > largestImage * 10) return { type, size: undefined }
  const source = { owner: `${realm.id} import`, read: () => buffer(file.stream()) }
  return { type, size: await measureImage(source).catch(unlessBad) }
}

export async function restoreEmoji(run: RowRun): Promise<void> {
  const { ids, realm, ctx } = run
  await restoreWithIds(run, 'emoji', 'emoji', await rowsOf(run, 'emoji'), async (row) => {
    const name = clean(row.name)
    if (!/^[0-9a-z_-]*[0-9a-z]$/.test(name) || name.length > 100)
      throw new Error(`the name "${name}" is not as it must be`)
    const image = await imageAt(run, run.open.emoji(row), `emoji ${name}`)
    if (!image) throw new Error('it has no image')
    const kept = image.isOurs && /^[0-9a-f]{16}\.(png|gif|webp)$/.test(clean(row.file_name))
    const files = kept ? await keepEmoji(run, row, image.bytes) : undefined
    const square = files
      ? undefined
      : await squareImage({ owner: `${realm.id} import`, read: async () => image.bytes }, emojiSide)
    return {
      name,
      author_id: ids.find('user', row.author_id) ?? null,
      ...(files ?? (await storeEmoji(ctx.files, realm.id, square!))),
      deactivated: row.deactivated === true,
    }
  })
}

/** The bytes of our own export are what our encoder made, if they have its size. */
async function keepEmoji(run: RowRun, row: Row, bytes: Buffer) {
  if (!(await isOf(run, bytes, emojiSide))) return undefined
  const { ctx, realm, open } = run
  const [file_name, still] = [clean(row.file_name), clean(row.still_file_name)]
  const stillImage = /^[0-9a-f]{16}-still\.png$/.test(still)
    ? await imageAt(run, open.emoji({ ...row, file_name: still }), `emoji ${clean(row.name)}`)
    : undefined
  await ctx.files.put(emojiPath(realm.id, file_name), bytes)
  if (stillImage) await ctx.files.put(emojiPath(realm.id, still), stillImage.bytes)
  return { file_name, still_file_name: stillImage ? still : null }
}

/** Whether the bytes are a PNG, GIF or WebP of at most this many pixels a side. */
async function isOf({ realm }: RowRun, bytes: Buffer, side: number): Promise<boolean> {
  if (!['png', 'gif', 'webp'].includes(imageType(bytes) ?? '')) return false
  const size = await measureImage({ owner: `${realm.id} import`, read: async () => bytes }).catch(unlessBad)
  return size !== undefined && size.width <= side && size.height <= side
}

export async function restoreAvatars(run: RowRun, users: Row[]): Promise<void> {
  for (const row of users) {
    const image = await imageAt(run, run.open.avatar(row), `avatar of user ${String(row.id)}`)
    if (image) await storeAvatar(run, row, image).catch(unlessBad)
  }
}

async function storeAvatar(run: RowRun, row: Row, { bytes, isOurs, path }: Loaded): Promise<void> {
  const { ctx, client, realm, ids } = run
  const assign = async (avatar: string) => {
    await client.query(`update users set avatar_path = $3, avatar_source = 'U' where realm_id = $1 and id = $2`, [
      realm.id,
      ids.need('user', row.id),
      avatar,
    ])
  }
  const [, key] = /^avatars\/\d{1,12}\/([0-9a-f]{32})\.png$/.exec(path) ?? []
  const medium =
    key === undefined || !isOurs
      ? undefined
      : await imageAt(run, { path: path.replace(/\.png$/, '-medium.png'), isOurs }, `avatar of user ${String(row.id)}`)
  if (!medium || !(await isOf(run, bytes, 100)) || !(await isOf(run, medium.bytes, 500)))
    return storingImage(
      ctx.files,
      realm.id,
      { owner: `${realm.id} import`, read: async () => (medium ?? { bytes }).bytes },
      assign,
    )
  const avatar = `${realm.id}/${key}`
  for (const [index, file] of avatarFiles(avatar).entries()) await ctx.files.put(file, [bytes, medium.bytes][index]!)
  await assign(avatar)
}

const realmImages: ImageKind[] = ['icon', 'logo', 'night_logo']

/** Icon and logos are drawn again from their pixels. */
export async function restoreRealmImages(run: RowRun): Promise<void> {
  const { ctx, realm } = run
  for (const kind of realmImages) {
    const image = await imageAt(run, await run.open.image(kind), kind)
    if (!image) continue
    const source = { owner: `${realm.id} import`, read: async () => image.bytes }
    await storingRealmImage(ctx.files, realm.id, kind, source, (path) =>
      transactIn(ctx, realm.id, async (tx) => void (await changeImage(tx, realm, kind, path))),
    ).catch(unlessBad)
  }
}

interface Loaded extends StoredImage {
  bytes: Buffer
}

async function imageAt(
  { archive, plan }: RowRun,
  image: StoredImage | undefined,
  what: string,
): Promise<Loaded | undefined> {
  if (!image) return undefined
  const file = await archive.find(image.path)
  if (file && file.size <= largestImage) return { ...image, bytes: await buffer(file.stream()) }
  plan.problem({ kind: 'missing', place: what, error: file ? 'the image is too large' : `no file ${image.path}` })
  return undefined
}

function unlessBad(error: unknown): undefined {
  if (!(error instanceof BadImage)) throw error
}

/** Which messages link to which files; thumbnails are made in the background. */
export async function linkFiles(
  { client, realm, ids }: RowRun,
  files: Row[],
  dropped: ReadonlySet<number>,
): Promise<void> {
  for (const { id, message_ids } of files) {
    const [file, messages] = [ids.find('file', id), idsIn(message_ids).flatMap((one) => ids.messages.find(one) ?? [])]
    if (file === undefined) continue
    await client.query(
      `with linked as (
         insert into attachment_messages (realm_id, attachment_id, message_id)
         select $1, $2, unnest($3::bigint[]) on conflict do nothing
       )
       select jobs.add_job('make_thumbnails', payload := json_build_object('realm_id', $1::bigint, 'attachment_id', id),
                           line := 'make_thumbnails import ' || $1::bigint)
         from attachments where realm_id = $1 and id = $2 and width is not null and thumbnails is null`,
      [realm.id, file, messages.filter((message) => !dropped.has(message))],
    )
  }
}
