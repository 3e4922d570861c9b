import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type Context, transactIn } from '../../context.ts'
import { sendNotices } from '../../conversations/messages/send/notices.ts'
import type { Tx } from '../../events/transact.ts'
import { findUsers } from '../../people/users/find-users.ts'
import { findSystemBot } from '../../people/users/system-bots.ts'
import { matches } from '../../platform/db/matches.ts'
import { many } from '../../platform/db/query.ts'
import type { Job } from '../../platform/jobs/tasks.ts'
import { emitExports, lockExport, removeExport } from './actions.ts'
import { makeArchive } from './making.ts'

type ExportJob = Job<'export_realm'>

/** After this many attempts the export is marked as failed. */
const maxAttempts = 5

/** Creates an export. An advisory lock admits one process. If it dies, the lock is released and another one retries. */
export async function runExport(ctx: Context, job: ExportJob): Promise<void> {
  const client = await ctx.pool.connect()
  try {
    const { rows } = await client.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as mine', [
      `export ${job.export_id}`,
    ])
    if (rows[0].mine) await attempt(ctx, job)
  } finally {
    client.release(true) // closes the connection, which releases the lock
  }
}

/** Resumes exports that no process is working on. */
export async function resumeExports(ctx: Context): Promise<void> {
  const pending = await ctx.db
    .selectFrom('realm_exports')
    .select(['realm_id', 'id as export_id'])
    .where(matches({ succeeded_at: null, failed_at: null }))
    .orderBy('id')
    .execute()
  for (const job of pending) await runExport(ctx, job)
}

async function attempt(ctx: Context, job: ExportJob): Promise<void> {
  const begun = await begin(ctx, job)
  if (!begun) return
  if (begun.attempts > maxAttempts) return fail(ctx, job)
  try {
    await makeArchive(ctx, job.realm_id, begun.export_type, (content) => ctx.files.put(begun.path!, content))
    await succeed(ctx, job)
  } catch (error) {
    ctx.log.error({ err: error }, 'an export failed')
    if (begun.attempts === maxAttempts) await fail(ctx, job)
  }
}

/** Starts an attempt. All attempts use the same path, so that a retry replaces the file of an aborted attempt. */
function begin(ctx: Context, { realm_id, export_id }: ExportJob) {
  const path = `exports/${realm_id}/${randomBytes(24).toString('base64url')}.tar.gz`
  return ctx.db
    .updateTable('realm_exports')
    .set({ attempts: sql`attempts + 1`, path: sql`coalesce(path, ${path})` })
    .where(matches({ realm_id, id: export_id, succeeded_at: null, failed_at: null }))
    .returning(['attempts', 'export_type', 'path'])
    .executeTakeFirst()
}

async function succeed(ctx: Context, { realm_id, export_id }: ExportJob): Promise<void> {
  const { realm } = await ctx.realms.get(realm_id)
  await transactIn(ctx, realm_id, async (tx) => {
    const row = await finish(tx, export_id, { succeeded_at: new Date() })
    if (!row) return
    const state = await ctx.realms.get(realm_id)
    const [requester] = await findUsers(tx.db, state, [row.acting_user_id])
    const sender = await findSystemBot(tx.db, realm, 'notification')
    const participants = [sender, requester!].sort((a, b) => a.id - b.id)
    const content = 'Your data export is complete. It can be downloaded for seven days.'
    await sendNotices(tx, ctx, realm, [{ sender, destination: { kind: 'direct', participants }, content }])
  })
}

function fail(ctx: Context, { realm_id, export_id }: ExportJob): Promise<void> {
  return transactIn(ctx, realm_id, async (tx) => {
    const row = await finish(tx, export_id, { failed_at: new Date() })
    if (row?.path) await tx.enqueue('delete_file', { path: row.path })
  })
}

/** Finishes an export. It may be finished already if an earlier commit succeeded but its response was lost. */
async function finish(tx: Tx, id: number, end: { succeeded_at: Date } | { failed_at: Date }) {
  const row = await lockExport(tx, id)
  if (!row || row.succeeded_at || row.failed_at) return undefined
  await tx.db.updateTable('realm_exports').set(end).where('realm_id', '=', tx.realmId).where('id', '=', id).execute()
  await tx.audit(null, 'failed_at' in end ? 'export_failed' : 'export_completed', { id })
  await emitExports(tx)
  return row
}

/** Deletes exports after seven days, because they contain private data. */
export async function removeOldExports(ctx: Context): Promise<void> {
  const rows = await many<{ realm_id: number; id: number }>(ctx.db)`
    select realm_id, id from realm_exports
     where succeeded_at < now() - interval '7 days' and deleted_at is null order by id`
  for (const { realm_id, id } of rows)
    await transactIn(ctx, realm_id, async (tx) => {
      const row = await lockExport(tx, id)
      if (row && !row.deleted_at) await removeExport(tx, row)
    })
}
