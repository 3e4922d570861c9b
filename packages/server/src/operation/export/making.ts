import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { uploadPath } from '../../conversations/uploads/paths.ts'
import { emojiPath } from '../../organization/emoji/actions.ts'
import { imageFiles } from '../../organization/realms/images.ts'
import { avatarFiles } from '../../people/users/avatars/avatars.ts'
import type { Member } from '../../platform/files/tar.ts'
import { withChecksums } from './checksums.ts'
import { readManifest } from './export-manifest.ts'
import { type Limit, readScope } from './scope.ts'
import { sections } from './sections.ts'
import { type Spool, type Store, spool, storeArchive } from './store-archive.ts'

/** Reports progress. */
type Report = (line: string) => void

/** Writes all rows from one snapshot to disk, ends the transaction, and then packs the archive with the files. */
export async function makeArchive(
  ctx: Context,
  realmId: number,
  type: number,
  store: Store,
  report: Report = () => {},
  limit: Limit | null = null,
): Promise<void> {
  const spools: Spool[] = []
  const manifest = await readManifest(ctx.db, realmId, type, limit)
  const folder = join(ctx.config.dataDir, 'tmp')
  try {
    await ctx.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (db) => {
        const scope = await readScope(db, realmId, type, limit)
        for (const [name, section] of Object.entries(sections)) {
          report(`Reading ${name} …`)
          spools.push(await spool(`${name}.jsonl`, section.lines(db, scope), folder))
        }
      })
    report('Packing the archive with the files …')
    await storeArchive(store, withChecksums(membersOf(ctx, realmId, [manifest, ...spools])))
  } finally {
    for (const one of spools) await one.drop()
  }
}

async function* membersOf(ctx: Context, realmId: number, rows: Member[]): AsyncGenerator<Member> {
  yield* rows
  const { realm } = await ctx.realms.get(realmId)
  for (const { name, path } of imageFiles(realm)) yield* storedMember(ctx, name, path)
  for await (const { path_id } of linesIn<{ path_id: string }>(rows, 'files.jsonl'))
    yield* storedMember(ctx, `files/${path_id}`, uploadPath(path_id))
  for await (const emoji of linesIn<{ file_name: string; still_file_name: string | null }>(rows, 'emoji.jsonl'))
    for (const name of [emoji.file_name, emoji.still_file_name])
      if (name) yield* storedMember(ctx, `emoji/${name}`, emojiPath(realmId, name))
  yield* avatarsIn(ctx, rows)
}

/** Uploaded avatars, in both sizes. */
async function* avatarsIn(ctx: Context, rows: Member[]): AsyncGenerator<Member> {
  for await (const { avatar_path } of linesIn<{ avatar_path: string | null }>(rows, 'users.jsonl'))
    if (avatar_path) for (const path of avatarFiles(avatar_path)) yield* storedMember(ctx, path, path)
}

/** A stored file. Skipped if it was deleted after its row was read. */
async function* storedMember({ files }: Context, name: string, path: string): AsyncGenerator<Member> {
  const file = await files.open(path)
  if (!file) return
  if (file.size === 0) await file.close()
  yield { name, size: file.size, read: () => file.read() }
}

async function* linesIn<T>(rows: Member[], name: string): AsyncGenerator<T> {
  let rest = ''
  for await (const chunk of rows
    .find((one) => one.name === name)!
    .read()
    .setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    for (const line of lines) yield JSON.parse(line) as T
  }
}
