import { type Context, transactIn } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { createRealm } from '../../identity/accounts/create-realm.ts'
import type { KeptIds } from '../../identity/accounts/kept-ids.ts'
import { deactivateRealm } from '../../organization/realms/deactivate-realm.ts'
import { matches } from '../../platform/db/matches.ts'
import { columnOf, maybeOne, one } from '../../platform/db/query.ts'
import { StartupError } from '../../platform/postgres/startup-error.ts'
import type { ImportOptions } from './run.ts'

export interface Target {
  realmId: number
  importId: number
  /** Those of the run that is continued. */
  options: ImportOptions
}

export interface Wanted {
  stringId: string
  name: string
  host: string | null
  source: string
  digest: Buffer
  options: Omit<ImportOptions, 'isNew' | 'keepsIds'>
}

interface Begun {
  id: number
  digest: Buffer
  options: ImportOptions
  state: 'loading' | 'done'
}

/**
 * The import to run: of a new organization, continued, or of a newer file into the organization. Undefined if this file was
 * imported completely. The organization is closed until the import is done.
 */
export async function beginImport(ctx: Context, wanted: Wanted, kept?: KeptIds): Promise<Target | undefined> {
  const realm = await ctx.db
    .selectFrom('realms')
    .select(['id', 'deactivated', 'deletion_started_at'])
    .where('string_id', '=', wanted.stringId)
    .executeTakeFirst()
  if (!realm) return createTarget(ctx, wanted, (await isEmpty(ctx)) ? kept : undefined)
  if (realm.deletion_started_at) throw new StartupError('The deletion of the organization has begun: end it first.')
  const unfinished = await findImport(ctx, realm.id, 'loading')
  if (unfinished && !unfinished.digest.equals(wanted.digest))
    throw new StartupError(
      `An import of another file into "${wanted.stringId}" is not finished: run it again with that file, or delete the organization.`,
    )
  if (unfinished) return { realmId: realm.id, importId: unfinished.id, options: unfinished.options }
  const done = await findImport(ctx, realm.id, 'done', wanted.digest)
  if (done) return undefined
  if (realm.deactivated) throw new StartupError('The organization is deactivated: reactivate it first.')
  return transactIn(ctx, realm.id, async (tx) => {
    await deactivateRealm(tx, null)
    const options = { ...wanted.options, isNew: false, keepsIds: false }
    return { realmId: realm.id, importId: await insertImport(tx, wanted, options), options }
  })
}

async function isEmpty({ db }: Context): Promise<boolean> {
  return (await db.selectFrom('realms').select('id').limit(1).executeTakeFirst()) === undefined
}

async function createTarget(ctx: Context, wanted: Wanted, ids: KeptIds | undefined): Promise<Target> {
  const { stringId: string_id, host, name } = wanted
  const options = { ...wanted.options, isNew: true, keepsIds: ids !== undefined }
  let importId = 0
  const realmId = await createRealm(ctx, { string_id, host, name, ids }, async (tx) => {
    await tx.db
      .updateTable('realms')
      .set({ deactivated: true, deactivated_at: new Date() })
      .where('id', '=', tx.realmId)
      .execute()
    importId = await insertImport(tx, wanted, options)
  })
  return { realmId, importId, options }
}

async function insertImport(tx: Tx, { source, digest }: Wanted, options: ImportOptions): Promise<number> {
  await tx.audit(null, 'import_started', { source, sha256: digest.toString('hex') })
  const { id } = await one<{ id: number }>(tx.db)`
    insert into imports (realm_id, source, digest, state, options)
    values (${tx.realmId}, ${source}, ${digest}, 'loading', ${JSON.stringify(options)}) returning id`
  return id
}

function findImport(
  { db }: Context,
  realmId: number,
  state: Begun['state'],
  digest?: Buffer,
): Promise<Begun | undefined> {
  return maybeOne<Begun>(db)`
    select id, digest, options, state from imports
     where realm_id = ${realmId} and state = ${state} and digest = coalesce(${digest ?? null}::bytea, digest)
     order by id desc limit 1`
}

/** Lets everybody in. Clients that were there before register again: no event says what was imported. */
export async function openTarget(ctx: Context, { realmId, importId }: Target, report: object): Promise<void> {
  await transactIn(ctx, realmId, async (tx) => {
    await tx.db
      .updateTable('realms')
      .set({ deactivated: false, deactivated_at: null })
      .where('id', '=', realmId)
      .execute()
    await tx.db
      .updateTable('imports')
      .set({ state: 'done', report: JSON.stringify(report), ended_at: new Date() })
      .where(matches({ realm_id: realmId, id: importId }))
      .execute()
    const queues = tx.db.deleteFrom('queues').where('realm_id', '=', realmId).returning('id')
    tx.emitInternal({ access: true, ended_queues: await columnOf(queues) })
    await tx.audit(null, 'import_done', { import_id: importId })
  })
}
