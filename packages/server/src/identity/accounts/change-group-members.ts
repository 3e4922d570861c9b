import {
  emitViewerChanges,
  findGrantedChannels,
  readChannelViewers,
} from '../../conversations/channels/visibility/channel-viewers.ts'
import { updateHiddenPolicies } from '../../conversations/topics/policies.ts'
import type { Tx } from '../../events/transact.ts'
import type { Group, GroupEditor } from '../../organization/groups/access.ts'
import { changeMembership, type MembershipChange } from '../../organization/groups/membership.ts'

/** Changes who is in a group, and emits the channels that become visible or hidden by it. Groups must be locked. */
export async function changeGroupMembers(
  tx: Tx,
  actor: GroupEditor,
  group: Group,
  change: MembershipChange,
): Promise<void> {
  const channels = await findGrantedChannels(tx.db, tx.realmId, [group.id])
  const viewers = await readChannelViewers(tx.db, channels)
  await changeMembership(tx, actor, group, change)
  await emitViewerChanges(tx, actor.realm, viewers, channels)
  await updateHiddenPolicies(tx, { channelIds: channels.map(({ id }) => id) })
}
