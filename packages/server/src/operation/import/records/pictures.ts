import { buffer } from 'node:stream/consumers'
import { storeEmoji } from '../../../organization/emoji/actions.ts'
import { emojiUrl } from '../../../organization/emoji/queries.ts'
import { storingImage } from '../../../people/users/avatars/avatars.ts'
import { BadImage, squareImage } from '../../../platform/images/image-processor.ts'
import { findMapped, inTransaction, type Run, storeMapped } from '../run.ts'

const largestImage = 10 * 1024 * 1024
/** Pixels of an emoji. */
const side = 64

/**
 * Creates custom emoji, and a stand-in for each name in reactions that nothing else has: deactivated, so that it is shown in
 * reactions and not offered.
 */
export async function importEmoji(run: Run): Promise<void> {
  const { plan, source } = run
  const unknown = [...plan.reactionNames].filter(
    (name) => !plan.emoji.has(name) && source.emojiName(name) === undefined,
  )
  const all = [
    ...[...plan.emoji].map(([name, path]) => ({ name, path })),
    ...unknown.map((name) => ({ name, path: undefined })),
  ]
  const known = await findMapped(
    run,
    'emoji',
    all.map(({ name }) => name),
  )
  for (const { name, path } of all) {
    const image = path === undefined ? undefined : await imageAt(run, path, `emoji ${name}`)
    if (path === undefined) plan.count('stand-ins for custom emoji')
    if (!known.has(name)) await createEmoji(run, name, image)
  }
  await remember(
    run,
    all.map(({ name }) => name),
  )
}

async function createEmoji(run: Run, name: string, image: Buffer | undefined): Promise<void> {
  const { ctx, client, realm } = run
  const square = await squareImage({ owner: `${realm.id} import`, read: async () => image ?? standIn }, side).catch(
    unlessBad,
  )
  const files = await storeEmoji(ctx.files, realm.id, square ?? { extension: 'png', image: standIn, still: undefined })
  await inTransaction(run, async () => {
    const { rows } = await client.query<{ id: number }>(
      `insert into realm_emoji (realm_id, name, file_name, still_file_name, deactivated)
       values ($1, $2, $3, $4, $5 or exists (select 1 from realm_emoji where realm_id = $1 and name = $2 and not deactivated))
       returning id`,
      [realm.id, name, files.file_name, files.still_file_name, image === undefined || square === undefined],
    )
    await storeMapped(run, (sql, values) => client.query(sql, values), 'emoji', [[name, rows[0]!.id]])
  })
}

async function remember(run: Run, names: string[]): Promise<void> {
  const mapped = await findMapped(run, 'emoji', names)
  const { rows } = await run.client.query<{ id: number; file_name: string; deactivated: boolean }>(
    'select id, file_name, deactivated from realm_emoji where realm_id = $1 and id = any($2)',
    [run.realm.id, [...mapped.values()].map(({ id }) => id)],
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const [name, { id }] of mapped) {
    const row = byId.get(id)
    if (row) run.emoji.set(name, { id, url: row.deactivated ? null : emojiUrl(run.realm.id, row.file_name) })
  }
}

/** Gives new accounts the avatars of the file. */
export async function importAvatars(run: Run, keys: string[]): Promise<void> {
  for (const key of keys) {
    const path = run.plan.users.get(key)?.avatar
    const image = path === undefined ? undefined : await imageAt(run, path, `avatar of ${key}`)
    if (image) await storeAvatar(run, key, image).catch(unlessBad)
  }
}

async function storeAvatar({ ctx, client, realm, people }: Run, key: string, image: Buffer): Promise<void> {
  const source = { owner: `${realm.id} import`, read: async () => image }
  await storingImage(ctx.files, realm.id, source, async (path) => {
    await client.query(
      `update users set avatar_path = $3, avatar_source = 'U', avatar_version = avatar_version + 1 where realm_id = $1 and id = $2`,
      [realm.id, people.get(key)!.id, path],
    )
  })
}

async function imageAt({ archive, plan }: Run, path: string, what: string): Promise<Buffer | undefined> {
  const file = await archive.find(path)
  if (file && file.size <= largestImage) return buffer(file.stream())
  plan.problem({ kind: 'missing', place: what, error: file ? 'the image is too large' : `no file ${path}` })
}

function unlessBad(error: unknown): undefined {
  if (!(error instanceof BadImage)) throw error
}

/** A grey question mark. */
const standIn = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAgMAAADXB5lNAAAADFBMVEWfpauaoaaZoKb7+/w/i4CFAAAAA3RSTlP+AYHGiBjzAAAACXBIWXMAAA' +
    'sTAAALEwEAmpwYAAAA00lEQVQ4y7XTuxHDIAwAUNlciqTxFJ4Dj5AmOZcZxUukzyiMxADcKYDAlpCTIh8VPt+zkUCH4NIEfAYPKHEimGGNMcOy' +
    'QZ/gCizuEWYOY4Qzh0OEG4djhIlDF4GKGF/KFDCIrkL+YhFDfqmAMTiYBI7BkMAzsBgsJSmQElCSCiH9xcGnPBsYAsfAlccPARBkFaDzgATbgB' +
    'GHyysasKIfuQNOgJE9XVNwcBJoFxzCH2DwDdR4DWrJuyoLh34PJp6027va6vKr8VADpEZMD6Ea069n/wmd5br6yvocEwAAAABJRU5ErkJggg==',
  'base64',
)
