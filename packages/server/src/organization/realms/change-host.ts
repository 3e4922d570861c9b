import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { columnOf } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'

/** Moves the organization to another host. All queues end: URLs and emails in what clients have loaded are the old ones. */
export async function changeHost(tx: Tx, host: string | null): Promise<void> {
  const same = tx.db.selectFrom('realms').select(['id', 'name']).where(matches({ host }))
  const other = await same.executeTakeFirst()
  if (other) throw new ApiError(`${other.name} answers there already.`)
  const own = tx.db.selectFrom('realms').select('host').where('id', '=', tx.realmId).forNoKeyUpdate()
  const before = await own.executeTakeFirstOrThrow()
  await tx.db.updateTable('realms').set({ host }).where('id', '=', tx.realmId).execute()
  const queues = tx.db.deleteFrom('queues').where('realm_id', '=', tx.realmId).returning('id')
  tx.emitInternal({ access: true, ended_queues: await columnOf(queues) })
  await tx.audit(null, 'realm_host_changed', {}, { before, after: { host } })
}
