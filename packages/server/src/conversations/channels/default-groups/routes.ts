import * as api from '@parley/api/conversations/default-channel-groups'
import { transactIn } from '../../../context.ts'
import { type App, serve } from '../../../http/serving/serve.ts'
import { accessOrganization } from '../../../people/users/organization-access.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { accessDefaultGroup, accessNamedChannels, checkGroupDescription, checkGroupName } from './access.ts'
import {
  addGroupChannels,
  createDefaultGroup,
  deleteDefaultGroup,
  removeGroupChannels,
  updateDefaultGroup,
} from './actions.ts'

export function defaultGroupRoutes(app: App): void {
  serve(app, api.createDefaultChannelGroup, async ({ ctx, user, params }) => {
    const texts = { name: checkGroupName(params.group_name), description: checkGroupDescription(params.description) }
    await transactIn(ctx, user.realm_id, async (tx) => {
      const { actor, channels } = await accessNamedChannels(tx, user, params.stream_names)
      await createDefaultGroup(tx, actor, texts, channels)
    })
    return {}
  })

  serve(
    app,
    api.updateDefaultChannelGroup,
    async ({ ctx, user, path, params: { new_group_name, new_description } }) => {
      if (new_group_name === undefined && new_description === undefined)
        throw new ApiError('You must pass "new_description" or "new_group_name".')
      const changes = {
        ...(new_group_name !== undefined && { name: checkGroupName(new_group_name) }),
        ...(new_description !== undefined && { description: checkGroupDescription(new_description) }),
      }
      await transactIn(ctx, user.realm_id, async (tx) => {
        const actor = await accessOrganization(tx, user)
        await updateDefaultGroup(tx, actor, await accessDefaultGroup(tx.db, tx.realmId, path.group_id), changes)
      })
      return {}
    },
  )

  serve(app, api.updateDefaultChannelGroupChannels, async ({ ctx, user, path, params: { op, stream_names } }) => {
    const change = op === 'add' ? addGroupChannels : removeGroupChannels
    await transactIn(ctx, user.realm_id, async (tx) => {
      const { actor, channels } = await accessNamedChannels(tx, user, stream_names)
      await change(tx, actor, await accessDefaultGroup(tx.db, tx.realmId, path.group_id), channels)
    })
    return {}
  })

  serve(app, api.deleteDefaultChannelGroup, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) => {
      const actor = await accessOrganization(tx, user)
      await deleteDefaultGroup(tx, actor, await accessDefaultGroup(tx.db, tx.realmId, path.group_id))
    })
    return {}
  })
}
