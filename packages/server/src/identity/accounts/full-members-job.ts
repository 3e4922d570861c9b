import { loadState, type Realm } from '../../callers/realm-state.ts'
import { type Context, transactIn } from '../../context.ts'
import {
  emitViewerChanges,
  findGrantedChannels,
  readChannelViewers,
} from '../../conversations/channels/visibility/channel-viewers.ts'
import { updateHiddenPolicies } from '../../conversations/topics/policies.ts'
import type { Tx } from '../../events/transact.ts'
import { lockGroups } from '../../organization/groups/access.ts'
import { syncFullMembers } from '../../organization/groups/full-members.ts'

/** Also emits the channels that users gain or lose: channel permissions may name the full members group. */
export async function syncFullMembersNow(tx: Tx, realm: Realm, threshold: number): Promise<void> {
  await lockGroups(tx, realm)
  const channels = await findGrantedChannels(tx.db, realm.id, [realm.systemGroups['role:fullmembers']])
  const viewersBefore = await readChannelViewers(tx.db, channels)
  await syncFullMembers(tx, realm, threshold)
  await emitViewerChanges(tx, realm, viewersBefore, channels)
  await updateHiddenPolicies(tx, { channelIds: channels.map(({ id }) => id) })
}

/** Runs daily, because accounts become full members by age. */
export async function syncAllFullMembers(ctx: Context): Promise<void> {
  const realms = await ctx.db.selectFrom('realms').select('id').where('deactivated', '=', false).execute()
  for (const { id } of realms)
    await transactIn(ctx, id, async (tx) => {
      const { realm } = await loadState(tx.db, id)
      const threshold = realm.settings.waiting_period_threshold
      if (threshold > 0) await syncFullMembersNow(tx, realm, threshold)
    })
}
