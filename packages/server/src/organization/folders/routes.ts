import * as api from '@parley/api/organization/folders'
import type { Caller } from '../../callers/caller.ts'
import { type Context, transactIn } from '../../context.ts'
import { renderDescription } from '../../conversations/messages/rendering/descriptions.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { accessOrganization } from '../../people/users/organization-access.ts'
import { createFolder, reorderFolders, updateFolder } from './actions.ts'
import { checkFolderDescription, checkFolderName } from './check-folder.ts'
import { listFolders } from './queries.ts'

export function folderRoutes(app: App): void {
  serve(app, api.getChannelFolders, async ({ ctx, user, params }) => ({
    channel_folders: await listFolders(ctx.db, user.realm_id, params.include_archived),
  }))

  serve(app, api.createChannelFolder, async ({ ctx, user, params }) => {
    const texts = { name: checkFolderName(params.name), ...(await renderedTexts(ctx, user, params.description)) }
    return transactIn(ctx, user.realm_id, async (tx) => ({
      channel_folder_id: await createFolder(tx, await accessOrganization(tx, user), texts),
    }))
  })

  serve(app, api.reorderChannelFolders, ({ ctx, user, params }) =>
    transactIn(ctx, user.realm_id, async (tx) => {
      await reorderFolders(tx, await accessOrganization(tx, user), params.order)
      return {}
    }),
  )

  serve(app, api.updateChannelFolder, async ({ ctx, user, path, params }) => {
    const { name, description, is_archived } = params
    const changes = {
      ...(name !== undefined && { name: checkFolderName(name) }),
      ...(description !== undefined && (await renderedTexts(ctx, user, description))),
      ...(is_archived !== undefined && { is_archived }),
    }
    return transactIn(ctx, user.realm_id, async (tx) => {
      await updateFolder(tx, await accessOrganization(tx, user), path.channel_folder_id, changes)
      return {}
    })
  })
}

async function renderedTexts(ctx: Context, user: Caller, text: string) {
  const description = checkFolderDescription(text)
  return { description, rendered_description: await renderDescription(ctx, user, description) }
}
