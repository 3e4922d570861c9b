import type { UserObject } from '@parley/api/people/users'
import * as api from '@parley/api/people/users'
import type { Caller } from '../../callers/caller.ts'
import { newestMessageId } from '../../conversations/messages/model/newest-message-id.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import type { Db } from '../../platform/db/pool.ts'
import { readProfileData } from './profile/profile-data.ts'
import { accessUser, accessUserByEmail, listUsers, shownUser } from './queries.ts'
import type { UserRow } from './user-object.ts'

export function userRoutes(app: App): void {
  const { db } = app.ctx

  serve(app, api.getUsers, async ({ user, params }) => {
    const profiles = params.include_custom_profile_fields ? await readProfileData(db, user.realm_id) : null
    return { members: await listUsers(db, user, { clientGravatar: params.client_gravatar, profiles }) }
  })

  serve(app, api.getOwnUser, async ({ user }) => {
    const params = { client_gravatar: false, include_custom_profile_fields: true }
    const { user: own } = await show(db, user, await accessUser(db, user, user.id), params)
    return { ...own, max_message_id: await newestMessageId(db, user) }
  })

  serve(app, api.getUser, async ({ user, path, params }) =>
    show(db, user, await accessUser(db, user, path.user_id), params),
  )

  serve(app, api.getUserByEmail, async ({ user, path, params }) =>
    show(db, user, await accessUserByEmail(db, user, path.email), params),
  )
}

interface ShowParams {
  client_gravatar: boolean
  include_custom_profile_fields: boolean
}

async function show(db: Db, caller: Caller, row: UserRow, params: ShowParams): Promise<{ user: UserObject }> {
  const profiles = params.include_custom_profile_fields ? await readProfileData(db, caller.realm_id, [row.id]) : null
  return { user: shownUser(row, caller, { clientGravatar: params.client_gravatar, profiles }) }
}
