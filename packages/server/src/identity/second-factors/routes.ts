import * as api from '@parley/api/identity/second-factors'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../callers/caller.ts'
import { type Context, transactIn } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { sessionCallerOf } from '../../http/serving/authorize.ts'
import { passkeySite } from '../../http/serving/passkey-site.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { type PageCall, servePage } from '../../http/serving/serve-page.ts'
import { say, type Text } from '../../platform/html.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { networkOf } from '../../platform/http/network.ts'
import { inField, orShowAgain } from '../pages/form.ts'
import type { Page } from '../pages/layout.ts'
import { Redirect } from '../pages/redirect.ts'
import { confirmIdentity, hasPassword } from '../passwords/credentials.ts'
import { deviceName } from '../sessions/device-name.ts'
import { addTotp, newRecoveryCodes, openEnrolment, removeTotp, sealEnrolment } from './actions.ts'
import {
  confirmPage,
  enrolPage,
  longestPasskeyName,
  newEnrolment,
  newPasskeyPage,
  overviewPage,
  recoveryCodesPage,
} from './factor-pages.ts'
import { addPasskey, passkeysOf, removePasskey, requestNewPasskey, type Site } from './passkeys.ts'
import { readFactors, toApi } from './queries.ts'
import { newSecret } from './totp.ts'

/** The pages where users manage their second factors. Only browser sessions can: no API key or token. */
export function secondFactorRoutes(app: App): void {
  const { ctx } = app
  serve(app, api.getSecondFactors, async ({ ctx, user }) => toApi(await readFactors(ctx.db, user.realm_id, user.id)))

  serveSignedIn(app, 'GET', '/second-factor', async (caller, { request }) => {
    const factors = await readFactors(ctx.db, caller.realm_id, caller.id)
    const list = await passkeysOf(ctx.db, caller)
    return overviewPage(caller.realm, { ...factors, list, hasSite: siteOf(ctx, caller, request) !== undefined })
  })
  serveSignedIn(app, 'POST', '/second-factor/totp/code', (caller, { form: { enrolment = '', code = '' } }) =>
    confirmCode(ctx, caller, enrolment, code),
  )
  serveConfirmed(app, '/second-factor/totp', set.up, (caller) => beginEnrolment(ctx, caller))
  serveConfirmed(app, '/second-factor/totp/remove', set.remove, async (caller) => {
    await transactIn(ctx, caller.realm_id, (tx) => removeTotp(tx, caller.realm, caller.id))
    return new Redirect('/second-factor')
  })
  passkeyRoutes(app)
  serveConfirmed(app, '/second-factor/recovery-codes', set.codes, async (caller) => {
    const codes = await transactIn(ctx, caller.realm_id, (tx) => newRecoveryCodes(tx, caller.id))
    return recoveryCodesPage(caller.realm, codes)
  })
}

function passkeyRoutes(app: App): void {
  const { ctx } = app
  serveConfirmed(app, '/second-factor/passkeys', set.passkey, async (caller, { request }) => {
    const { realm } = caller
    const wanted = await requestNewPasskey(ctx, accessSite(ctx, caller, request), realm.name, caller)
    return newPasskeyPage(realm, wanted, deviceName(request.headers['user-agent'] ?? ''))
  })
  serveSignedIn(app, 'POST', '/second-factor/passkeys/add', async (caller, { request, form }) => {
    const { challenge: sealed = '', response = '' } = form
    const site = accessSite(ctx, caller, request)
    const name = form.name?.trim().slice(0, longestPasskeyName) || deviceName(request.headers['user-agent'] ?? '')
    const add = (tx: Tx) => addPasskey(tx, ctx.vault, site, caller, { sealed, response }, name)
    return afterAdding(caller, await transactIn(ctx, caller.realm_id, add))
  })
  serveConfirmed(app, '/second-factor/passkeys/:id/remove', set.removePasskey, async (caller, { path }) => {
    await transactIn(ctx, caller.realm_id, (tx) => removePasskey(tx, caller.realm, caller.id, Number(path.id) || 0))
    return new Redirect('/second-factor')
  })
}

function siteOf(ctx: Context, { realm }: Caller, request: FastifyRequest): Site | undefined {
  return passkeySite(ctx, request, realm)
}

function accessSite(ctx: Context, caller: Caller, request: FastifyRequest): Site {
  const site = siteOf(ctx, caller, request)
  if (!site) throw new ApiError('Passkeys need a server with a host name.')
  return site
}

/** The first factor comes with recovery codes. */
function afterAdding({ realm }: Caller, codes: string[]): Page | Redirect {
  return codes.length > 0 ? recoveryCodesPage(realm, codes) : new Redirect('/second-factor')
}

const set = {
  up: {
    title: say('Set up an authenticator app'),
    text: say('You need an app that shows codes, on your phone or in your password manager.'),
    button: say('Continue'),
  },
  remove: {
    title: say('Remove the authenticator app'),
    text: say('Afterwards, its codes no longer work.'),
    button: say('Remove the app'),
  },
  passkey: {
    title: say('Add a passkey'),
    text: say('A passkey is stored on this device, in your password manager, or on a security key.'),
    button: say('Continue'),
  },
  removePasskey: {
    title: say('Remove the passkey'),
    text: say('You can no longer sign in with it.'),
    button: say('Remove the passkey'),
  },
  codes: {
    title: say('New recovery codes'),
    text: say('You get ten new codes. The old ones no longer work.'),
    button: say('Create new codes'),
  },
}

type Answer = Promise<Page | Redirect>

function serveSignedIn(
  app: App,
  method: 'GET' | 'POST',
  url: string,
  handler: (caller: Caller, call: PageCall) => Answer,
): void {
  servePage(app, method, url, async (call) => {
    const caller = await sessionCallerOf(app.ctx, call.request)
    return caller ? handler(caller, call) : new Redirect('/login')
  })
}

/** A page that asks for the password, and what is done afterwards. */
function serveConfirmed(
  app: App,
  url: string,
  texts: { title: Text; text: Text; button: Text },
  work: (caller: Caller, call: PageCall) => Answer,
): void {
  const { ctx } = app
  serveSignedIn(app, 'GET', url, async (caller) =>
    confirmPage(caller.realm, { ...texts, hasPassword: await hasPassword(ctx.db, caller) }),
  )
  serveSignedIn(app, 'POST', url, async (caller, call) => {
    const { password = '' } = call.form
    const shown = { ...texts, hasPassword: await hasPassword(ctx.db, caller) }
    return orShowAgain(
      async () => {
        await inField(shown.hasPassword ? 'password' : 'form', () =>
          confirmIdentity(ctx, caller, password, networkOf(call.request.ip)),
        )
        return work(caller, call)
      },
      (errors) => confirmPage(caller.realm, shown, errors),
    )
  })
}

async function beginEnrolment({ vault }: Context, { realm, email, id }: Caller): Promise<Page> {
  const secret = newSecret()
  return enrolPage(realm, await newEnrolment(realm, email, secret, sealEnrolment(vault, id, secret)))
}

async function confirmCode(ctx: Context, caller: Caller, sealed: string, code: string): Answer {
  const { realm, email, id } = caller
  const secret = openEnrolment(ctx.vault, id, sealed)
  const enrolment = await newEnrolment(realm, email, secret, sealed)
  return orShowAgain(
    async () => {
      const add = transactIn(ctx, realm.id, (tx) => addTotp(tx, ctx.vault, id, secret, code))
      return afterAdding(caller, await inField('code', () => add))
    },
    (errors) => enrolPage(realm, enrolment, errors),
  )
}
