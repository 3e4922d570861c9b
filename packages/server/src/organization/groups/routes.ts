import * as api from '@parley/api/organization/groups'
import { reloadCaller } from '../../callers/authenticate.ts'
import type { Caller } from '../../callers/caller.ts'
import { type Context, transactIn } from '../../context.ts'
import { canSeeChannel, findChannel } from '../../conversations/channels/access.ts'
import { sendGroupNotices } from '../../conversations/notices/group-notices.ts'
import type { Tx } from '../../events/transact.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { changeGroupMembers } from '../../identity/accounts/change-group-members.ts'
import { accessUser } from '../../people/users/queries.ts'
import type { Db } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { accessGroup, checkActive, checkMayChange, lockGroup, lockGroups } from './access.ts'
import { createGroup } from './creation.ts'
import { checkMembershipChange, type MembershipChange } from './membership.ts'
import { listUserGroups, readMembers, readSubgroups } from './queries.ts'
import { deactivateGroup, updateGroup } from './update-group.ts'
import { findUsages, type Usage } from './usage.ts'

export function groupRoutes(app: App): void {
  serve(app, api.createUserGroup, ({ ctx, user, params }) =>
    withGroupLock(ctx, user, async (tx, actor) => ({ group_id: await createGroup(tx, actor, params) })),
  )

  serve(app, api.getUserGroups, async ({ ctx, user, params }) => ({
    user_groups: await listUserGroups(ctx.db, user.realm_id, { includeDeactivated: params.include_deactivated_groups }),
  }))

  serve(app, api.updateUserGroup, ({ ctx, user, path, params }) =>
    withGroupLock(ctx, user, async (tx, actor) => {
      const group = await accessGroup(tx.db, actor.realm_id, path.user_group_id)
      checkMayChange(actor, group)
      await updateGroup(tx, actor, group, params)
      return {}
    }),
  )

  serve(app, api.deactivateUserGroup, ({ ctx, user, path }) =>
    withGroupLock(ctx, user, async (tx, actor) => {
      const group = await accessGroup(tx.db, actor.realm_id, path.user_group_id)
      checkMayChange(actor, group)
      checkActive(group)
      await lockGroup(tx, group.id)
      await refuseIfUsed(tx.db, actor, await findUsages(tx.db, actor.realm_id, group.id))
      await deactivateGroup(tx, actor, group)
      return {}
    }),
  )

  serve(app, api.updateUserGroupMembers, ({ ctx, user, path, params }) => {
    const { add, add_subgroups, delete_subgroups } = params
    return changeGroup(ctx, user, path.user_group_id, { add, delete: params.delete, add_subgroups, delete_subgroups })
  })

  serve(app, api.updateSubgroups, ({ ctx, user, path, params }) =>
    changeGroup(ctx, user, path.user_group_id, { add_subgroups: params.add, delete_subgroups: params.delete }),
  )

  serve(app, api.getUserGroupMembers, async ({ ctx, user, path, params }) => {
    const { id } = await accessGroup(ctx.db, user.realm_id, path.user_group_id)
    return { members: await readMembers(ctx.db, user.realm_id, id, params.direct_member_only) }
  })

  serve(app, api.getUserGroupMembership, async ({ ctx, user, path, params }) => {
    const { id } = await accessGroup(ctx.db, user.realm_id, path.user_group_id)
    const target = await accessUser(ctx.db, user, path.user_id)
    const members = await readMembers(ctx.db, user.realm_id, id, params.direct_member_only)
    return { is_user_group_member: members.includes(target.id) }
  })

  serve(app, api.getSubgroups, async ({ ctx, user, path, params }) => {
    const { id } = await accessGroup(ctx.db, user.realm_id, path.user_group_id)
    return { subgroups: await readSubgroups(ctx.db, user.realm_id, id, params.direct_subgroup_only) }
  })
}

/** Reloads the caller under the lock of groups, so that no concurrent change affects the permission checks. */
function withGroupLock<T>(ctx: Context, user: Caller, work: (tx: Tx, actor: Caller) => Promise<T>): Promise<T> {
  return transactIn(ctx, user.realm_id, async (tx) => {
    await lockGroups(tx, user.realm)
    return work(tx, await reloadCaller(tx.db, user))
  })
}

type MembershipParams = { [K in keyof MembershipChange]?: MembershipChange[K] | undefined }

function changeGroup(ctx: Context, user: Caller, id: number, params: MembershipParams): Promise<Record<never, never>> {
  const once = (list: number[] = []) => [...new Set(list)]
  const change: MembershipChange = {
    add: once(params.add),
    delete: once(params.delete),
    add_subgroups: once(params.add_subgroups),
    delete_subgroups: once(params.delete_subgroups),
  }
  return withGroupLock(ctx, user, async (tx, actor) => {
    const group = await accessGroup(tx.db, actor.realm_id, id)
    checkMembershipChange(actor, group, change)
    await changeGroupMembers(tx, actor, group, change)
    await sendGroupNotices(tx, ctx, actor, group, change)
    return {}
  })
}

/** Usages in channels that the caller cannot see also prevent deactivation, but are not listed. */
async function refuseIfUsed(db: Db, caller: Caller, usages: Usage[]): Promise<void> {
  if (usages.length === 0) return
  const objections: Usage[] = []
  for (const usage of usages) {
    const channel = usage.type === 'channel' ? await findChannel(db, caller, usage.channel_id) : undefined
    if (usage.type !== 'channel' || (channel && (await canSeeChannel(db, caller, channel)))) objections.push(usage)
  }
  throw new ApiError('Cannot deactivate user group in use.', 'CANNOT_DEACTIVATE_GROUP_IN_USE', {
    fields: { objections },
  })
}
