import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { StartupError } from '../platform/postgres/startup-error.ts'

const name = Type.String({ minLength: 1, maxLength: 100 })
/** The short name of the organization; without, the method is offered in all of them. */
const realm = Type.Optional(name)
/** Whether people without an account get one. */
const createUsers = Type.Optional(Type.Boolean())

const oidcProvider = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z0-9-]{1,30}$' }),
    name,
    issuer: Type.String({ pattern: '^https?://' }),
    client_id: name,
    client_secret: Type.String({ minLength: 1 }),
    realm,
    scopes: Type.Optional(Type.String()),
    create_users: createUsers,
    link_by_email: Type.Optional(Type.Boolean()),
    groups_claim: Type.Optional(name),
    /** Names of groups at the provider, and of the groups here whose members follow them. */
    groups: Type.Optional(Type.Record(Type.String(), name)),
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

const signOn = Type.Object(
  { oidc: Type.Optional(Type.Array(oidcProvider)), jwt: Type.Optional(Type.Array(jwtKey)) },
  { additionalProperties: false },
)

export type OidcProvider = Static<typeof oidcProvider>
export type JwtKey = Static<typeof jwtKey>
export interface SignOn {
  oidc: OidcProvider[]
  jwt: JwtKey[]
}

export function parseSignOn(path: string, content: unknown): SignOn {
  const check = Compile(signOn)
  const [problem] = check.Errors(content)
  if (problem) {
    const reason = problem.message === 'schema is false' ? 'is not known' : problem.message
    throw new StartupError(`SIGN_ON_FILE ${path}: ${problem.instancePath || '/'} ${reason}.`)
  }
  const { oidc = [], jwt = [] } = content as Static<typeof signOn>
  for (const provider of oidc) checkProvider(path, oidc, provider)
  return { oidc, jwt }
}

function checkProvider(path: string, all: OidcProvider[], { id, issuer }: OidcProvider): void {
  if (all.filter((one) => one.id === id).length > 1)
    throw new StartupError(`SIGN_ON_FILE ${path}: two providers have the id ${id}.`)
  const { protocol, hostname } = new URL(issuer)
  if (protocol !== 'https:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname))
    throw new StartupError(`SIGN_ON_FILE ${path}: the issuer of ${id} must use https.`)
}
