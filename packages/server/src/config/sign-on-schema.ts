import { isIP } from 'node:net'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { StartupError } from '../platform/postgres/startup-error.ts'

const name = Type.String({ minLength: 1, maxLength: 100 })
/** The short name of the organization; without, the method is offered in all of them. */
const realm = Type.Optional(name)
/** Whether people without an account get one. */
const createUsers = Type.Optional(Type.Boolean())

const id = Type.String({ pattern: '^[a-z0-9-]{1,30}$' })
/** Names of groups at the provider, and of the groups here whose members follow them. */
const groups = Type.Optional(Type.Record(Type.String(), name))

/** The domains for whose emails the provider vouches. */
const emailDomains = Type.Optional(Type.Array(name, { minItems: 1 }))

const oidcProvider = Type.Object(
  {
    id,
    name,
    issuer: Type.String({ pattern: '^https?://' }),
    client_id: name,
    client_secret: Type.String({ minLength: 1 }),
    realm,
    scopes: Type.Optional(Type.String()),
    create_users: createUsers,
    link_by_email: Type.Optional(Type.Boolean()),
    groups_claim: Type.Optional(name),
    groups,
  },
  { additionalProperties: false },
)

const common = {
  realm,
  audience: Type.Optional(name),
  issuer: Type.Optional(name),
}
/** One algorithm for each key, so that a token cannot choose another one. */
const jwtKey = Type.Union([
  Type.Object(
    { ...common, algorithm: Type.Enum(['HS256', 'HS384', 'HS512']), key: Type.String({ minLength: 32 }) },
    { additionalProperties: false },
  ),
  Type.Object(
    {
      ...common,
      algorithm: Type.Enum(['RS256', 'PS256', 'ES256', 'EdDSA']),
      public_key: Type.String({ minLength: 1 }),
    },
    { additionalProperties: false },
  ),
])

const ldapDirectory = Type.Object(
  {
    id,
    name,
    /** Servers with the same content; the first that answers is used. */
    urls: Type.Array(Type.String({ pattern: '^ldaps?://[^/]+/?$' }), { minItems: 1 }),
    start_tls: Type.Optional(Type.Boolean()),
    /** Certificates of the authority that signed those of the servers, if the system does not know it. */
    ca_file: Type.Optional(Type.String()),
    bind_dn: Type.Optional(Type.String({ minLength: 1 })),
    bind_password: Type.Optional(Type.String({ minLength: 1 })),
    base: Type.String({ minLength: 1 }),
    /** Which entries are people who may sign in. */
    filter: Type.Optional(Type.String({ pattern: '^\\(.*\\)$' })),
    active_directory: Type.Optional(Type.Boolean()),
    id_attribute: Type.Optional(name),
    email_attribute: Type.Optional(name),
    name_attribute: Type.Optional(name),
    avatar_attribute: Type.Optional(name),
    group_base: Type.Optional(Type.String({ minLength: 1 })),
    email_domains: emailDomains,
    timeout_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 30 })),
    realm,
    create_users: createUsers,
    link_by_email: Type.Optional(Type.Boolean()),
    reactivate_users: Type.Optional(Type.Boolean()),
    groups,
  },
  { additionalProperties: false },
)

const headerName = Type.String({ pattern: '^[A-Za-z][A-Za-z0-9-]{0,60}$' })
/** A proxy that signs people in and names them in headers. */
const headerProxy = Type.Object(
  {
    name,
    email_header: headerName,
    name_header: Type.Optional(headerName),
    groups_header: Type.Optional(headerName),
    groups,
    /** IP addresses or networks from which its connections come. */
    trusted_proxies: Type.Array(Type.String(), { minItems: 1 }),
    /** Signs people in without a click. */
    automatic: Type.Optional(Type.Boolean()),
    realm,
    create_users: createUsers,
  },
  { additionalProperties: false },
)

/** In PEM, or only its base64 text. */
const certificate = Type.String({ minLength: 100 })

const samlProvider = Type.Object(
  {
    id,
    name,
    /** What the provider calls itself. */
    entity_id: Type.String({ minLength: 1 }),
    sso_url: Type.String({ pattern: '^https?://' }),
    logout_url: Type.Optional(Type.String({ pattern: '^https?://' })),
    /** With which the provider signs. Several while it changes from one to the next. */
    certificates: Type.Array(certificate, { minItems: 1 }),
    /** What we call ourselves there. */
    own_entity_id: Type.Optional(name),
    /** To sign our requests, for providers that want this. */
    private_key: Type.Optional(Type.String({ minLength: 1 })),
    own_certificate: Type.Optional(certificate),
    id_attribute: Type.Optional(name),
    email_attribute: Type.Optional(name),
    name_attribute: Type.Optional(name),
    groups_attribute: Type.Optional(name),
    email_domains: emailDomains,
    realm,
    create_users: createUsers,
    link_by_email: Type.Optional(Type.Boolean()),
    groups,
  },
  { additionalProperties: false },
)

const signOn = Type.Object(
  {
    saml: Type.Optional(Type.Array(samlProvider)),
    oidc: Type.Optional(Type.Array(oidcProvider)),
    jwt: Type.Optional(Type.Array(jwtKey)),
    ldap: Type.Optional(Type.Array(ldapDirectory)),
    header: Type.Optional(Type.Array(headerProxy)),
  },
  { additionalProperties: false },
)

export type OidcProvider = Static<typeof oidcProvider>
export type JwtKey = Static<typeof jwtKey>
export type LdapDirectory = Static<typeof ldapDirectory>
export type HeaderProxy = Static<typeof headerProxy>
export type SamlProvider = Static<typeof samlProvider>
export interface SignOn {
  oidc: OidcProvider[]
  jwt: JwtKey[]
  ldap: LdapDirectory[]
  header: HeaderProxy[]
  saml: SamlProvider[]
}

export function parseSignOn(path: string, content: unknown): SignOn {
  const check = Compile(signOn)
  const [problem] = check.Errors(content)
  if (problem) {
    const reason = problem.message === 'schema is false' ? 'is not known' : problem.message
    throw new StartupError(`SIGN_ON_FILE ${path}: ${problem.instancePath || '/'} ${reason}.`)
  }
  const { oidc = [], jwt = [], ldap = [], saml = [], header = [] } = content as Static<typeof signOn>
  const refuse = (reason: string) => new StartupError(`SIGN_ON_FILE ${path}: ${reason}.`)
  for (const all of [oidc, ldap, saml]) checkIds(all, refuse)
  for (const { id, issuer } of oidc) if (!isProtected(issuer)) throw refuse(`the issuer of ${id} must use https`)
  for (const directory of ldap) checkDirectory(directory, refuse)
  for (const proxy of header) checkProxy(proxy, refuse)
  for (const { id, sso_url, logout_url } of saml)
    if (!isProtected(sso_url) || (logout_url !== undefined && !isProtected(logout_url)))
      throw refuse(`the URLs of ${id} must use https`)
  return { oidc, jwt, ldap, saml, header }
}

type Refuse = (reason: string) => StartupError

function checkIds(all: { id: string }[], refuse: Refuse): void {
  const twice = all.find(({ id }, index) => all.findIndex((one) => one.id === id) !== index)
  if (twice) throw refuse(`two providers have the id ${twice.id}`)
}

/** Passwords travel to the directory: never in the clear, except on this machine. */
function checkDirectory({ id, urls, start_tls, bind_dn, bind_password }: LdapDirectory, refuse: Refuse): void {
  if (!start_tls && !urls.every(isProtected)) throw refuse(`${id} must use ldaps or start_tls`)
  if (start_tls && urls.some((url) => url.startsWith('ldaps:'))) throw refuse(`${id} needs ldap URLs for start_tls`)
  if ((bind_dn === undefined) !== (bind_password === undefined))
    throw refuse(`${id} needs both bind_dn and bind_password, or neither`)
}

/** Everyone who can connect from there can be anyone here. */
function checkProxy({ name, trusted_proxies }: HeaderProxy, refuse: Refuse): void {
  const invalid = trusted_proxies.find((entry) => {
    const [address = '', bits = '1', ...rest] = entry.split('/')
    const most = isIP(address) === 6 ? 128 : 32
    return isIP(address) === 0 || !/^\d+$/.test(bits) || Number(bits) < 1 || Number(bits) > most || rest.length > 0
  })
  if (invalid !== undefined)
    throw refuse(`trusted_proxies of ${name} must list IP addresses or networks like 10.0.0.0/24, not "${invalid}"`)
}

/** Whether the URL uses TLS, or stays on this machine. */
function isProtected(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return ['https:', 'ldaps:'].includes(protocol) || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}
