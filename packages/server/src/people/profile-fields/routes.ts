import * as api from '@parley/api/people/profile-fields'
import { reloadCaller } from '../../callers/authenticate.ts'
import { transactIn } from '../../context.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { accessOrganization } from '../users/organization-access.ts'
import { accessField, createField, deleteField, reorderFields, updateField } from './actions.ts'
import { listProfileFields } from './queries.ts'
import { type ProfileValueParams, setProfileValues } from './values.ts'

export function profileFieldRoutes(app: App): void {
  serve(app, api.getProfileFields, async ({ ctx, user }) => ({
    custom_fields: await listProfileFields(ctx.db, user.realm_id),
  }))

  serve(app, api.createProfileField, ({ ctx, user, params }) =>
    transactIn(ctx, user.realm_id, async (tx) => ({
      id: await createField(tx, await accessOrganization(tx, user), params),
    })),
  )

  serve(app, api.reorderProfileFields, ({ ctx, user, params }) =>
    transactIn(ctx, user.realm_id, async (tx) => {
      await reorderFields(tx, await accessOrganization(tx, user), params.order)
      return {}
    }),
  )

  serve(app, api.updateProfileField, ({ ctx, user, path, params }) =>
    transactIn(ctx, user.realm_id, async (tx) => {
      const actor = await accessOrganization(tx, user)
      await updateField(tx, actor, await accessField(tx.db, tx.realmId, path.field_id), params)
      return {}
    }),
  )

  serve(app, api.deleteProfileField, ({ ctx, user, path }) =>
    transactIn(ctx, user.realm_id, async (tx) => {
      const actor = await accessOrganization(tx, user)
      await deleteField(tx, actor, await accessField(tx.db, tx.realmId, path.field_id))
      return {}
    }),
  )

  serve(app, api.updateProfileData, ({ ctx, user, params }) =>
    transactIn(ctx, user.realm_id, async (tx) => {
      await setProfileValues(tx, await reloadCaller(tx.db, user), user.id, params.data)
      return {}
    }),
  )

  serve(app, api.removeProfileData, ({ ctx, user, params }) =>
    transactIn(ctx, user.realm_id, async (tx) => {
      const cleared = params.data.map((id): ProfileValueParams => ({ id, value: null }))
      await setProfileValues(tx, await reloadCaller(tx.db, user), user.id, cleared)
      return {}
    }),
  )
}
