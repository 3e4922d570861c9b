import type { Caller } from '../../../callers/caller.ts'
import { type Context, transactIn } from '../../../context.ts'
import { sessionCallerOf } from '../../../http/serving/authorize.ts'
import type { App } from '../../../http/serving/serve.ts'
import { type PageCall, servePage } from '../../../http/serving/serve-page.ts'
import { realmUrl } from '../../../organization/realms/realm-url.ts'
import { type Html, html, say } from '../../../platform/html.ts'
import { signOutElsewhere } from '../../accounts/revoke-keys.ts'
import type { Page } from '../../pages/layout.ts'
import { Redirect } from '../../pages/redirect.ts'
import { samlLogoutUrl } from '../../providers/saml/saml-logout.ts'
import { endOwnSession, listSessions, signOut } from '../../sessions/sessions.ts'

/** Where the user is signed in, and the forms to end that. A server without the web client shows this at `/`. */
export function homeRoutes(app: App): void {
  const { ctx } = app
  if (!ctx.config.hasWebClient) servePage(app, 'GET', '/', async () => new Redirect('/sessions'))

  servePage(app, 'GET', '/sessions', async ({ request }) => {
    const caller = await sessionCallerOf(ctx, request)
    return caller ? homePage(ctx, caller, realmUrl(ctx, request, caller.realm)) : new Redirect('/login')
  })

  const whenSignedIn = (url: string, work: (caller: Caller, call: PageCall) => Promise<Page | Redirect>) =>
    servePage(app, 'POST', url, async (call) => {
      const caller = await sessionCallerOf(ctx, call.request)
      return caller ? work(caller, call) : new Redirect('/login')
    })
  const back = new Redirect('/sessions')
  whenSignedIn('/logout', async (caller, { request, reply }) => {
    const url = await samlLogoutUrl(ctx, caller, realmUrl(ctx, request, caller.realm))
    await signOut(ctx, caller, request, reply)
    return url === undefined ? back : signedOutPage(url)
  })
  whenSignedIn('/logout/others', async (caller) => {
    await transactIn(ctx, caller.realm_id, (tx) => signOutElsewhere(tx, ctx.vault, caller))
    return back
  })
  whenSignedIn('/logout/:session_id', async (caller, { path }) => {
    await endOwnSession(ctx, caller, Number(path.session_id))
    return back
  })
}

/** A link: content security policies keep forms from leading to other sites. */
function signedOutPage(url: string): Page {
  return {
    title: say('You are signed out here'),
    content: html`<p>${say('You are still signed in at the service you used to sign in.')}</p>
<p class="actions"><a class="button primary" href="${url}">${say('Sign out there too')}</a>
<a class="button outline" href="/login">${say('Sign in again')}</a></p>`,
  }
}

type Session = Awaited<ReturnType<typeof listSessions>>[number]

async function homePage(ctx: Context, caller: Caller, url: string): Promise<Page> {
  const sessions = await listSessions(ctx, caller)
  return {
    title: say('You are signed in as {name}', { name: caller.full_name }),
    organization: caller.realm.name,
    lead: say('{email} at {organization}', { email: caller.email, organization: caller.realm.name }),
    content: html`<form method="post" action="/logout"><button class="button outline">${say('Sign out')}</button></form>
<h2>${say('Clients')}</h2>
${ctx.config.hasWebClient && html`<p><a href="/">${say('Open the web client')}</a></p>`}
<p>${say('Apps that speak the Zulip API need the URL of this server: {url}', { url: html`<strong>${url}</strong>` })}</p>
<p><a href="/api/v1/docs">${say('Read about the API')}</a></p>
<h2>${say('Where you are signed in')}</h2>
<ul class="rows">${sessions.map(row)}</ul>
${
  sessions.length > 1 &&
  html`<form class="actions" method="post" action="/logout/others">
<button class="button outline danger">${say('Sign out everywhere else')}</button>
</form>`
}`,
  }
}

function row({ id, device, ip_address, last_used_at, is_current }: Session): Html {
  const when = new Date(last_used_at * 1000).toISOString()
  return html`<li><span>${device}<small>${ip_address}, <time datetime="${when}">${when.slice(0, 16).replace('T', ' ')} UTC</time></small></span>
${
  is_current
    ? html`<small>${say('this session')}</small>`
    : html`<form method="post" action="/logout/${id}"><button class="button outline small" aria-label="${say('Sign out {device}', { device })}">${say('Sign out')}</button></form>`
}</li>`
}
