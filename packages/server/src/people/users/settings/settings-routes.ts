import { regenerateApiKey } from '@parley/api/identity/accounts'
import type { ParamsOf } from '@parley/api/operation'
import * as api from '@parley/api/people/own-settings'
import { isAdmin } from '@parley/api/permissions'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../../callers/caller.ts'
import { checkScope } from '../../../callers/credential.ts'
import { type Context, transactIn } from '../../../context.ts'
import { deleteDraftsOf } from '../../../conversations/later/drafts/actions.ts'
import { emitBotAccountUpdate } from '../../../delivery/bots/events.ts'
import { requestEmailConfirmation } from '../../../delivery/mail/actions.ts'
import { quietSettings, wakeQuiet } from '../../../delivery/notifications/wake-quiet.ts'
import { endQueuesOf } from '../../../events/end-queues.ts'
import type { Tx } from '../../../events/transact.ts'
import { type App, serve } from '../../../http/serving/serve.ts'
import { requestEmail } from '../../../identity/accounts/email-changes.ts'
import { revocationBy, setPassword } from '../../../identity/accounts/revoke-keys.ts'
import { accessNewPassword, confirmSession, replaceKey } from '../../../identity/passwords/credentials.ts'
import { realmUrl } from '../../../organization/realms/realm-url.ts'
import { networkOf } from '../../../platform/http/network.ts'
import { recordVisibility } from '../../presence/actions.ts'
import { emitStatus } from '../../status/actions.ts'
import { rename } from '../change-user.ts'
import { accessName } from '../profile/name-rules.ts'
import {
  accessOwnAccount,
  changeSettings,
  changeTimezone,
  checkSettings,
  type Own,
  type Settings,
} from './own-settings.ts'
import { changeSettingsDefaults } from './settings-defaults.ts'

type SettingsParams = ParamsOf<typeof api.updateSettings>

export function settingsRoutes(app: App): void {
  serve(app, api.updateSettings, async ({ ctx, user, params, request }) => {
    await updateOwn(ctx, user, params, request)
    return {}
  })

  serve(app, api.updateSettingsDefaults, async ({ ctx, user, params }) => {
    await transactIn(ctx, user.realm_id, (tx) => changeSettingsDefaults(tx, user.id, params as Settings))
    return {}
  })

  serve(app, regenerateApiKey, async ({ ctx, user, params, request }) => {
    await confirmSession(ctx, user, params.password, networkOf(request.ip))
    const api_key = await transactIn(ctx, user.realm_id, async (tx) => {
      await accessOwnAccount(tx, user)
      await endQueuesOf(tx, [user.id])
      const key = await replaceKey(tx, ctx.vault, user.id, user.id)
      if (user.bot_type !== null) await emitBotAccountUpdate(tx, user.realm, user.id, ['api_key'])
      return key
    })
    return { api_key }
  })
}

/** Applies all changes or none. */
async function updateOwn(ctx: Context, user: Caller, params: SettingsParams, request: FastifyRequest): Promise<void> {
  const { full_name, email, old_password = '', new_password = '', timezone, ...settings } = params
  checkSettings(settings)
  if (email || new_password) checkScope(user.credential, 'full')
  const network = networkOf(request.ip)
  // The new email is enough to reset the password.
  if (email && email.trim() !== user.email) await confirmSession(ctx, user, old_password, network)
  const hash = new_password ? await accessNewPassword(ctx, user, { old_password, new_password }, network) : undefined
  await transactIn(ctx, user.realm_id, async (tx) => {
    const own = await accessOwnAccount(tx, user)
    if (full_name !== undefined) await changeOwnName(tx, own, full_name)
    // Before the email: a new password ends earlier requests for another one.
    if (hash) await setPassword(tx, revocationBy(user, ctx.vault), user.id, hash)
    if (email) await requestNewEmail(tx, own, email, realmUrl(ctx, request, user.realm))
    if (timezone !== undefined) await changeTimezone(tx, own, timezone)
    await applySideEffects(tx, own, await changeSettings(tx, own, settings as Settings))
  })
}

async function applySideEffects(tx: Tx, { caller }: Own, changed: Settings): Promise<void> {
  const { presence_enabled, enable_drafts_synchronization } = changed
  if (enable_drafts_synchronization === false) await deleteDraftsOf(tx, caller)
  if (quietSettings.some((name) => changed[name] !== undefined)) await wakeQuiet(tx, caller)
  if (presence_enabled === undefined) return
  await recordVisibility(tx, caller, presence_enabled as boolean)
  await emitStatus(tx, caller, { away: !presence_enabled })
}

/** The link is sent to the new email, so that only its owner can confirm the change. */
async function requestNewEmail(tx: Tx, { caller }: Own, email: string, baseUrl: string): Promise<void> {
  const changeId = await requestEmail(tx, caller, email)
  if (changeId !== undefined) await requestEmailConfirmation(tx, caller.id, changeId, baseUrl)
}

/** Where name changes are disabled, the parameter is ignored without an error. */
async function changeOwnName(tx: Tx, { caller, user }: Own, name: string): Promise<void> {
  if (name.trim() === user.full_name || (caller.realm.settings.name_changes_disabled && !isAdmin(caller))) return
  await rename(tx, caller.realm, user, await accessName(tx, caller.realm, user.id, name))
}
