import type { UserSettings } from '@parley/api/settings'
import { sql } from 'kysely'
import { defaultUserSettings } from '../../../callers/caller.ts'
import { lockRealm } from '../../../events/lock-row.ts'
import type { Tx } from '../../../events/transact.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { one } from '../../../platform/db/query.ts'
import { differing, type Settings } from './own-settings.ts'

/** The settings of new accounts in the realm. */
export async function readSettingsDefaults(db: Db, realmId: number): Promise<UserSettings> {
  const { overrides } = await one<{ overrides: Partial<UserSettings> }>(db)`
    select user_settings_defaults as overrides from realms where id = ${realmId}`
  return { ...defaultUserSettings, ...overrides }
}

export async function changeSettingsDefaults(tx: Tx, actorId: number, params: Settings): Promise<void> {
  await lockRealm(tx)
  const changed = differing(params, await readSettingsDefaults(tx.db, tx.realmId))
  if (Object.keys(changed).length === 0) return
  await sql`
    update realms set user_settings_defaults = user_settings_defaults || ${JSON.stringify(changed)}::jsonb
     where id = ${tx.realmId}`.execute(tx.db)
  for (const [property, value] of Object.entries(changed))
    tx.emit({ type: 'realm_user_settings_defaults', op: 'update', property, value }, { realm: 'everyone' })
  await tx.audit(actorId, 'user_settings_defaults_changed', changed)
}
