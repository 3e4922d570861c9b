import { lookup } from '@parley/api/lookup'
import type { SettingChange } from '@parley/api/organization/groups'
import * as api from '@parley/api/organization/realm'
import { ownerOnlySettings, type RealmGroupSetting, realmGroupSettings } from '@parley/api/permission-settings'
import { realmSettings } from '@parley/api/settings'
import { checkAccess, reloadCaller } from '../../callers/authenticate.ts'
import type { Caller } from '../../callers/caller.ts'
import type { Realm } from '../../callers/realm-state.ts'
import { type Context, transactIn } from '../../context.ts'
import { accessChannelMetadata } from '../../conversations/channels/access.ts'
import { renderDescription } from '../../conversations/messages/rendering/descriptions.ts'
import { endQueuesOf } from '../../events/end-queues.ts'
import { lockRealm } from '../../events/lock-row.ts'
import type { AuditedChange, Tx } from '../../events/transact.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { syncFullMembersNow } from '../../identity/accounts/full-members-job.ts'
import { activeGuests } from '../../people/users/visibility/visible-users.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { changeRealmPermissions } from '../groups/realm-permissions.ts'
import type { Changed } from '../groups/setting-change.ts'
import {
  checkAuthenticationMethods,
  checkRealmDescription,
  checkRealmName,
  checkVideoProvider,
  storedValue,
} from './setting-rules.ts'
import { changedSettings, type Identity, storeIdentity, storeSettings } from './update-realm.ts'

type Values = Record<string, unknown>

export function realmRoutes(app: App): void {
  serve(app, api.updateRealm, async ({ ctx, user, params }) => {
    const requested: Values = params
    const identity = await identityOf(ctx, user, requested)
    const settings = settingsOf(requested)
    return transactIn(ctx, user.realm_id, async (tx) => {
      await lockRealm(tx)
      const actor = await reloadCaller(tx.db, user)
      checkMayChange(actor, requested)
      await checkChannels(tx, actor, settings)
      checkVideoProvider(settings.video_chat_provider, ctx.config.bigBlueButton !== undefined)
      if (requested.authentication_methods)
        checkAuthenticationMethods(requested.authentication_methods as never, ctx.config.mode === 'demo')
      const names = await storeIdentity(tx, actor.realm, identity)
      const changed = changedSettings(actor.realm, settings)
      await storeSettings(tx, actor.realm, changed)
      const permissions = await changeRealmPermissions(tx, actor.realm, permissionsOf(requested))
      await applyEffects(tx, actor, changed, permissions)
      const updated = [...names, ...permissions.map(({ setting }) => setting)]
      if (updated.length + Object.keys(changed).length > 0)
        await tx.audit(actor.id, 'realm_updated', { updated }, realmChange(actor.realm, identity, changed, permissions))
      return responseOf(names, changed, permissions)
    })
  })
}

/** What the audit log says about a change; the rendered description follows from the description. */
function realmChange(
  realm: Realm,
  { rendered_description: _, ...identity }: Identity,
  changed: Values,
  permissions: Changed[],
): AuditedChange {
  const before = Object.fromEntries(Object.keys(changed).map((name) => [name, lookup(realm.settings, name)]))
  const names = Object.fromEntries(Object.keys(identity).map((name) => [name, lookup(realm, name)]))
  return {
    before: { ...names, ...before, ...Object.fromEntries(permissions.map(({ setting, before: id }) => [setting, id])) },
    after: {
      ...identity,
      ...changed,
      ...Object.fromEntries(permissions.map(({ setting, value }) => [setting, value])),
    },
  }
}

async function identityOf(ctx: Context, user: Caller, { name, description }: Values): Promise<Identity> {
  const identity: Identity = name === undefined ? {} : { name: checkRealmName(name as string) }
  if (description === undefined) return identity
  const text = checkRealmDescription(description as string)
  return { ...identity, description: text, rendered_description: await renderDescription(ctx, user, text) }
}

function settingsOf(requested: Values): Values {
  const plain = Object.entries(requested).filter(([name]) => Object.hasOwn(realmSettings, name))
  return Object.fromEntries(plain.map(([name, value]) => [name, storedValue(name, value)]))
}

function permissionsOf(requested: Values): Partial<Record<RealmGroupSetting, SettingChange>> {
  return Object.fromEntries(Object.entries(requested).filter(([name]) => Object.hasOwn(realmGroupSettings, name)))
}

function checkMayChange(actor: Caller, requested: Values): void {
  checkAccess('admin', actor)
  if (Object.keys(requested).some((name) => ownerOnlySettings.has(name))) checkAccess('owner', actor)
}

const none = -1

/** Settings must refer to existing channels, and moderation requests to a private one. */
async function checkChannels(tx: Tx, actor: Caller, settings: Values): Promise<void> {
  for (const [name, id] of Object.entries(settings)) {
    if (!/_(stream|channel)_id$/.test(name) || id === none) continue
    const channel = await accessChannelMetadata(tx.db, actor, id as number)
    if (channel.is_archived) throw new ApiError('Invalid channel ID')
    if (name === 'moderation_request_channel_id' && !channel.invite_only)
      throw new ApiError('Moderation request channel must be private.')
  }
}

async function applyEffects(
  tx: Tx,
  { realm }: Caller,
  changed: Values,
  permissions: { setting: RealmGroupSetting }[],
): Promise<void> {
  const threshold = changed.waiting_period_threshold
  if (threshold !== undefined) await syncFullMembersNow(tx, realm, threshold as number)
  // The users visible to guests change. No event describes that, so guests must register again.
  if (permissions.every(({ setting }) => setting !== 'can_access_all_users_group')) return
  const guests = await activeGuests(tx.db, realm.id)
  if (guests.length > 0) await endQueuesOf(tx, guests)
}

/** The changed values; for texts only the word "updated". */
function responseOf(names: string[], changed: Values, permissions: Changed<RealmGroupSetting>[]): Values {
  const values = Object.entries(changed).map(([name, value]) => [name, typeof value === 'string' ? 'updated' : value])
  const groups = permissions.map(({ setting, value }) => [setting, value])
  return Object.fromEntries([...names.map((name) => [name, 'updated']), ...values, ...groups])
}
