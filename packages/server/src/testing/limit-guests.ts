import type { World } from './world.ts'

/** From now on guests see only users in the same channels or conversations. */
export async function restrictGuests({ ctx, realmId }: Pick<World, 'ctx' | 'realmId'>): Promise<void> {
  const { realm } = await ctx.realms.get(realmId)
  await ctx.db
    .updateTable('realm_permissions')
    .set({ group_id: realm.systemGroups['role:members'] })
    .where('realm_id', '=', realmId)
    .where('setting', '=', 'can_access_all_users_group')
    .execute()
  ctx.realms.drop(realmId)
}
