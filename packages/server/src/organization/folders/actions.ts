import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { one } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { foldCase } from '../../platform/text.ts'
import { checkSharedLimit } from '../realms/snapshot-limits.ts'
import { InvalidFolder } from './access.ts'
import { readFolders } from './queries.ts'

/** The texts of a folder, validated and rendered. */
export interface FolderTexts {
  name?: string
  description?: string
  rendered_description?: string
}

type NewFolder = Required<FolderTexts>
type FolderChanges = FolderTexts & { is_archived?: boolean }

/** The caller must hold the lock of the organization (accessOrganization), which serializes changes of folders. */
export async function createFolder(tx: Tx, actor: Caller, texts: NewFolder): Promise<number> {
  await checkFreeName(tx, texts.name)
  const { id } = await one<{ id: number }>(tx.db)`
    insert into channel_folders (realm_id, name, name_key, description, rendered_description, creator_id, place)
    select ${tx.realmId}, ${texts.name}, ${foldCase(texts.name)}, ${texts.description}, ${texts.rendered_description},
           ${actor.id}, coalesce(max(place) + 1, 0)
      from channel_folders where realm_id = ${tx.realmId}
    returning id`
  await checkSharedLimit(tx, 'channel_folders')
  const [channel_folder] = await readFolders(tx.db, tx.realmId, sql`id = ${id}`)
  tx.emit({ type: 'channel_folder', op: 'add', channel_folder: channel_folder! }, { realm: 'everyone' })
  await tx.audit(actor.id, 'channel_folder_created', { channel_folder_id: id, name: texts.name })
  return id
}

/** Archived folders release their names. */
async function checkFreeName(tx: Tx, name: string, except = 0): Promise<void> {
  const found = await tx.db
    .selectFrom('channel_folders')
    .select('id')
    .where(matches({ realm_id: tx.realmId, name_key: foldCase(name), is_archived: false }))
    .where('id', '!=', except)
    .executeTakeFirst()
  if (found) throw new ApiError('Channel folder name already in use')
}

export async function updateFolder(tx: Tx, actor: Caller, id: number, params: FolderChanges): Promise<void> {
  const folder = await lockFolder(tx, id)
  const changes = changedFields(folder, params)
  if (Object.keys(changes).length === 0) return
  const after = { ...folder, ...changes }
  if (!after.is_archived) await checkFreeName(tx, after.name, id)
  if (changes.is_archived) await checkEmpty(tx, id)
  await tx.db
    .updateTable('channel_folders')
    .set({ ...changes, name_key: foldCase(after.name) })
    .where(matches({ realm_id: tx.realmId, id }))
    .execute()
  tx.emit({ type: 'channel_folder', op: 'update', channel_folder_id: id, data: changes }, { realm: 'everyone' })
  const { rendered_description: _, ...stored } = changes
  await tx.audit(actor.id, 'channel_folder_updated', { channel_folder_id: id, ...stored })
}

/** Conflicts with lockFolderRow: waits until channels being added are in the folder. */
async function lockFolder(tx: Tx, id: number): Promise<Required<FolderChanges>> {
  const folder = await tx.db
    .selectFrom('channel_folders')
    .select(['name', 'description', 'rendered_description', 'is_archived'])
    .where(matches({ realm_id: tx.realmId, id }))
    .forUpdate()
    .executeTakeFirst()
  if (!folder) throw new InvalidFolder()
  return folder
}

function changedFields(folder: Required<FolderChanges>, params: FolderChanges): FolderChanges {
  const { name, description, rendered_description, is_archived } = params
  return {
    ...(name !== undefined && name !== folder.name && { name }),
    ...(description !== undefined && description !== folder.description && { description, rendered_description }),
    ...(is_archived !== undefined && is_archived !== folder.is_archived && { is_archived }),
  }
}

/** Archived channels count too, because they can be unarchived. */
async function checkEmpty(tx: Tx, id: number): Promise<void> {
  const within = matches({ realm_id: tx.realmId, folder_id: id })
  const found = await tx.db.selectFrom('channels').select('id').where(within).limit(1).executeTakeFirst()
  if (found) throw new ApiError('You need to remove all the channels from this folder to archive it.')
}

/** `order` must contain every folder once, including archived ones. */
export async function reorderFolders(tx: Tx, actor: Caller, order: number[]): Promise<void> {
  const known = (await readFolders(tx.db, tx.realmId)).map(({ id }) => id)
  const isComplete = order.length === known.length && known.every((id) => order.includes(id))
  if (!isComplete) throw new ApiError('Invalid order mapping.')
  await sql`
    update channel_folders f set place = o.place - 1
      from unnest(${order}::bigint[]) with ordinality as o(id, place)
     where f.realm_id = ${tx.realmId} and f.id = o.id`.execute(tx.db)
  tx.emit({ type: 'channel_folder', op: 'reorder', order }, { realm: 'everyone' })
  await tx.audit(actor.id, 'channel_folders_reordered', { order })
}
