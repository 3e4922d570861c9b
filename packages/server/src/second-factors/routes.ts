import * as api from '@parley/api/second-factors'
import { type Context, transactIn } from '../context.ts'
import { sessionCallerOf } from '../http/authorize.ts'
import { type App, serve } from '../http/serve.ts'
import { type PageCall, servePage } from '../http/serve-page.ts'
import { inField, orShowAgain } from '../pages/form.ts'
import type { Page } from '../pages/layout.ts'
import { Redirect } from '../pages/redirect.ts'
import { networkOf } from '../platform/http/network.ts'
import { confirmIdentity, hasPassword } from '../sign-in/credentials.ts'
import type { Caller } from '../users/caller.ts'
import { addTotp, newRecoveryCodes, openEnrolment, removeTotp, sealEnrolment } from './actions.ts'
import { confirmPage, enrolPage, newEnrolment, overviewPage, recoveryCodesPage } from './factor-pages.ts'
import { readFactors, toApi } from './queries.ts'
import { newSecret } from './totp.ts'

/** The pages where users manage their second factors. Only browser sessions can: no API key or token. */
export function secondFactorRoutes(app: App): void {
  const { ctx } = app
  serve(app, api.getSecondFactors, async ({ user }) => toApi(await readFactors(ctx.db, user.realm_id, user.id)))

  serveSignedIn(app, 'GET', '/second-factor', async (caller) =>
    overviewPage(caller.realm, await readFactors(ctx.db, caller.realm_id, caller.id)),
  )
  serveSignedIn(app, 'POST', '/second-factor/totp/code', (caller, { form: { enrolment = '', code = '' } }) =>
    confirmCode(ctx, caller, enrolment, code),
  )
  serveConfirmed(app, '/second-factor/totp', set.up, (caller) => beginEnrolment(ctx, caller))
  serveConfirmed(app, '/second-factor/totp/remove', set.remove, async (caller) => {
    await transactIn(ctx, caller.realm_id, (tx) => removeTotp(tx, caller.id))
    return new Redirect('/second-factor')
  })
  serveConfirmed(app, '/second-factor/recovery-codes', set.codes, async (caller) => {
    const codes = await transactIn(ctx, caller.realm_id, (tx) => newRecoveryCodes(tx, caller.id))
    return recoveryCodesPage(caller.realm, codes)
  })
}

const set = {
  up: {
    title: 'Set up an authenticator app',
    text: 'You need an app that shows codes, on your phone or in your password manager.',
    button: 'Continue',
  },
  remove: {
    title: 'Remove the authenticator app',
    text: 'Afterwards, your recovery codes no longer work either.',
    button: 'Remove the app',
  },
  codes: {
    title: 'New recovery codes',
    text: 'You get ten new codes. The old ones no longer work.',
    button: 'Create new codes',
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
  texts: { title: string; text: string; button: string },
  work: (caller: Caller) => Answer,
): void {
  const { ctx } = app
  serveSignedIn(app, 'GET', url, async (caller) =>
    confirmPage(caller.realm, { ...texts, hasPassword: await hasPassword(ctx.db, caller) }),
  )
  serveSignedIn(app, 'POST', url, async (caller, { request, form: { password = '' } }) => {
    const shown = { ...texts, hasPassword: await hasPassword(ctx.db, caller) }
    return orShowAgain(
      async () => {
        await inField(shown.hasPassword ? 'password' : 'form', () =>
          confirmIdentity(ctx, caller, password, networkOf(request.ip)),
        )
        return work(caller)
      },
      (errors) => confirmPage(caller.realm, shown, errors),
    )
  })
}

async function beginEnrolment({ vault }: Context, { realm, email, id }: Caller): Promise<Page> {
  const secret = newSecret()
  return enrolPage(realm, await newEnrolment(realm, email, secret, sealEnrolment(vault, id, secret)))
}

async function confirmCode(ctx: Context, { realm, email, id }: Caller, sealed: string, code: string): Answer {
  const secret = openEnrolment(ctx.vault, id, sealed)
  const enrolment = await newEnrolment(realm, email, secret, sealed)
  return orShowAgain(
    async () => {
      const add = transactIn(ctx, realm.id, (tx) => addTotp(tx, ctx.vault, id, secret, code))
      return recoveryCodesPage(realm, await inField('code', () => add))
    },
    (errors) => enrolPage(realm, enrolment, errors),
  )
}
