import type { FastifyRequest } from 'fastify'
import type { Realm } from '../../callers/realm-state.ts'
import type { Config } from '../../config.ts'
import { type Html, html, type Phrase, say } from '../../platform/html.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { LdapDirectory } from './ldap/ldap-connection.ts'
import type { OidcProvider } from './oidc/oidc.ts'
import { namesPerson, proxyOf, proxyPath } from './proxy/proxy-header.ts'
import type { SamlProvider } from './saml/saml-provider.ts'

type Named = Pick<Realm, 'string_id'>

export function providersOf({ signOn }: Config, { string_id }: Named): OidcProvider[] {
  return signOn.oidc.filter(({ realm }) => realm === undefined || realm === string_id)
}

export function directoriesOf({ signOn }: Config, { string_id }: Named): LdapDirectory[] {
  return signOn.ldap.filter(({ realm }) => realm === undefined || realm === string_id)
}

export function samlProvidersOf({ signOn }: Config, { string_id }: Named): SamlProvider[] {
  return signOn.saml.filter(({ realm }) => realm === undefined || realm === string_id)
}

export function accessProvider(config: Config, realm: Named, id: string): OidcProvider {
  return oneOf(providersOf(config, realm), id)
}

export function accessSamlProvider(config: Config, realm: Named, id: string): SamlProvider {
  return oneOf(samlProvidersOf(config, realm), id)
}

function oneOf<T extends { id: string }>(providers: T[], id: string): T {
  const provider = providers.find((one) => one.id === id)
  if (!provider) throw new ApiError('This way to sign in does not exist here.', 'NOT_FOUND')
  return provider
}

export function signOnPath({ id }: Pick<OidcProvider, 'id'>): string {
  return `/login/oidc/${id}`
}

export function samlPath({ id }: Pick<SamlProvider, 'id'>): string {
  return `/login/saml/${id}`
}

/** The providers that people visit in a browser. */
function visitedOf(config: Config, realm: Named): { name: string; label: string; path: string }[] {
  return [
    ...providersOf(config, realm).map((one) => ({ name: `oidc:${one.id}`, label: one.name, path: signOnPath(one) })),
    ...samlProvidersOf(config, realm).map((one) => ({ name: `saml:${one.id}`, label: one.name, path: samlPath(one) })),
  ]
}

/** For `external_authentication_methods`: apps open `login_url` in a browser, with a one-time pad. */
export function externalMethods(config: Config, realm: Named) {
  const inBrowser = {
    name: 'browser',
    display_name: 'Browser: passkey or two-step sign-in',
    display_icon: null,
    login_url: '/login',
    signup_url: '/join',
  }
  const providers = visitedOf(config, realm).map(({ name, label, path }) => ({
    name,
    display_name: label,
    display_icon: null,
    login_url: path,
    signup_url: path,
  }))
  return [...providers, ...throughProxy(config, realm), inBrowser]
}

/** Listed also for apps that do not come through the proxy, because the browser that they open may. */
function throughProxy({ signOn }: Config, { string_id }: Named) {
  const own = signOn.header.find(({ realm }) => realm === undefined || realm === string_id)
  if (!own) return []
  return [
    { name: 'remoteuser', display_name: own.name, display_icon: null, login_url: proxyPath, signup_url: proxyPath },
  ]
}

/** Links on the sign-in page. A proxy is offered to those who come through it. */
export function signOnLinks(config: Config, realm: Named, request: FastifyRequest, otp: string | undefined): Html[] {
  const query = otp === undefined ? '' : `?mobile_flow_otp=${otp}`
  const link = (name: string, path: string) =>
    html`<a class="button outline" data-sign-on href="${path}${query}">${say('Sign in with {service}', { service: name })}</a>`
  const proxy = proxyOf(config, realm, request)
  return [
    ...(proxy && namesPerson(proxy, request) ? [link(proxy.name, proxyPath)] : []),
    ...visitedOf(config, realm).map(({ label, path }) => link(label, path)),
  ]
}

/** What to tell people at the field for their password. */
export function passwordHint(config: Config, realm: Named): Phrase | undefined {
  const names = directoriesOf(config, realm).map(({ name }) => name)
  return names.length === 0 ? undefined : say('Your password at {service} works here.', { service: names.join(', ') })
}
