import type { RealmGroupSetting, SystemGroupName } from '@parley/api/permission-settings'
import { sql } from 'kysely'
import { transactIn } from '../context.ts'
import type { World } from './world.ts'

/** Changes settings and permissions of the realm without going through the API. A permission is a group or its id. */
export async function configureRealm(
  { ctx, realmId }: Pick<World, 'ctx' | 'realmId'>,
  settings: Record<string, unknown>,
  permissions: Partial<Record<RealmGroupSetting, SystemGroupName | number>> = {},
): Promise<void> {
  const { realm } = await ctx.realms.get(realmId)
  await transactIn(ctx, realmId, async (tx) => {
    await sql`update realms set settings = settings || ${JSON.stringify(settings)}::jsonb where id = ${realmId}`.execute(
      tx.db,
    )
    for (const [setting, group] of Object.entries(permissions))
      await tx.db
        .updateTable('realm_permissions')
        .set({ group_id: typeof group === 'number' ? group : realm.systemGroups[group] })
        .where('realm_id', '=', realmId)
        .where('setting', '=', setting)
        .execute()
    tx.emitInternal({ access: true })
  })
}

/** From now on guests see only users in the same channels or conversations. */
export function restrictGuests(world: Pick<World, 'ctx' | 'realmId'>): Promise<void> {
  return configureRealm(world, {}, { can_access_all_users_group: 'role:members' })
}
