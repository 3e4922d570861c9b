import type { FastifyRequest } from 'fastify'
import { hasOrganization } from '../accounts/first-run.ts'
import { sessionCallerOf } from '../http/authorize.ts'
import type { App } from '../http/serve.ts'
import { type PageCall, Redirect, servePage } from '../http/serve-page.ts'
import { html } from '../platform/html.ts'
import { urlOf } from '../realms/images.ts'
import type { Realm } from '../realms/state.ts'
import { listDemoPeople } from '../sign-in/demo-accounts.ts'
import { signInAccount } from '../sign-in/fetch-key.ts'
import { realmOf } from '../sign-in/request-realm.ts'
import { startSession } from '../sign-in/sessions.ts'
import { orShowAgain } from './form.ts'
import type { Page } from './layout.ts'
import { type LoginPage, loginPage } from './login-page.ts'

export function loginRoutes(app: App): void {
  const { ctx } = app

  servePage(app, 'GET', '/login', async ({ request }) => {
    if (!(await hasOrganization(ctx.db))) return emptyPage
    const realm = await realmOf(ctx, request)
    if (await sessionCallerOf(ctx, request)) return new Redirect('/')
    return loginPage(await contentOf(app, request, realm))
  })

  const gate = { isSignIn: true } as const
  servePage(app, 'POST', '/login', (call) => signIn(app, call), gate)
}

async function signIn(app: App, { request, reply, form }: PageCall) {
  const { ctx } = app
  const { pick, email = '', password = '' } = form
  const isSharedComputer = form.shared_computer === 'true'
  const answer = async () => {
    const account = await signInAccount(ctx, request, pick ?? email, pick === undefined ? password : undefined)
    await startSession(ctx, request, reply, account, isSharedComputer)
    return new Redirect('/')
  }
  const content = await contentOf(app, request, await realmOf(ctx, request))
  return orShowAgain(answer, (errors) => loginPage({ ...content, email, isSharedComputer, errors }))
}

async function contentOf({ ctx }: App, { hostname }: FastifyRequest, realm: Realm): Promise<LoginPage> {
  const people = ctx.config.mode === 'demo' ? await listDemoPeople(ctx.db, realm.id) : []
  return { name: realm.name, host: realm.host ?? hostname, iconUrl: urlOf(realm.icon_path), people }
}

const emptyPage: Page = {
  title: 'There is no organization yet',
  content: html`<p>To set one up, open the link that the server printed when it started.</p>`,
}
