import * as api from '@parley/api/folders'
import { type Context, transactIn } from '../context.ts'
import { type App, serve } from '../http/serve.ts'
import { resolveReferences } from '../messages/rendering/references.ts'
import type { Caller } from '../users/caller.ts'
import { accessOrganization } from '../users/organization-access.ts'
import { createFolder, reorderFolders, updateFolder } from './actions.ts'
import { checkFolderDescription, checkFolderName } from './check-folder.ts'
import { listFolders } from './queries.ts'

export function folderRoutes(app: App): void {
  const { ctx } = app

  serve(app, api.getChannelFolders, async ({ user, params }) => ({
    channel_folders: await listFolders(ctx.db, user.realm_id, params.include_archived),
  }))

  serve(app, api.createChannelFolder, async ({ user, params }) => {
    const texts = { name: checkFolderName(params.name), ...(await renderDescription(ctx, user, params.description)) }
    return transactIn(ctx, user.realm_id, async (tx) => ({
      channel_folder_id: await createFolder(tx, await accessOrganization(tx, user), texts),
    }))
  })

  serve(app, api.reorderChannelFolders, ({ user, params }) =>
    transactIn(ctx, user.realm_id, async (tx) => {
      await reorderFolders(tx, await accessOrganization(tx, user), params.order)
      return {}
    }),
  )

  serve(app, api.updateChannelFolder, async ({ user, path, params }) => {
    const { name, description, is_archived } = params
    const changes = {
      ...(name !== undefined && { name: checkFolderName(name) }),
      ...(description !== undefined && (await renderDescription(ctx, user, description))),
      ...(is_archived !== undefined && { is_archived }),
    }
    return transactIn(ctx, user.realm_id, async (tx) => {
      await updateFolder(tx, await accessOrganization(tx, user), path.channel_folder_id, changes)
      return {}
    })
  })
}

/** Rendered before the transaction, which then holds its locks no longer than it must. */
async function renderDescription(ctx: Context, user: Caller, text: string) {
  const description = checkFolderDescription(text)
  const references = await resolveReferences(ctx.db, user, description)
  const { html } = await ctx.renderer.render(user, description, { ...references, previews: false })
  return { description, rendered_description: html }
}
