import { groupSchema } from './group-queries.ts'
import { maxResults } from './list.ts'
import type { Json } from './patch.ts'
import { userSchema } from './user-resource.ts'

const schemas = (name: string) => [`urn:ietf:params:scim:schemas:core:2.0:${name}`]

export function serviceProviderConfig(base: string): Json {
  return {
    schemas: schemas('ServiceProviderConfig'),
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        primary: true,
        description: 'A token of the organization, which its operator creates.',
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  }
}

export function resourceTypes(base: string): Json[] {
  const type = (id: string, endpoint: string, schema: string) => ({
    schemas: schemas('ResourceType'),
    id,
    name: id,
    endpoint,
    schema,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${id}` },
  })
  return [type('User', '/Users', userSchema), type('Group', '/Groups', groupSchema)]
}

interface Options {
  type?: string
  multiValued?: boolean
  required?: boolean
  caseExact?: boolean
  mutability?: string
  returned?: string
  uniqueness?: string
  subAttributes?: Json[]
}

function attribute(name: string, description: string, options: Options = {}): Json {
  const usual = { type: 'string', multiValued: false, required: false, caseExact: false }
  return { name, description, ...usual, mutability: 'readWrite', returned: 'default', uniqueness: 'none', ...options }
}

const userAttributes = [
  attribute('userName', 'The name at the identity provider. It is the email too, unless emails has one.', {
    required: true,
    uniqueness: 'server',
  }),
  attribute('name', 'Parts of the name.', {
    type: 'complex',
    subAttributes: [
      attribute('formatted', 'The full name.'),
      attribute('givenName', 'The first name.'),
      attribute('familyName', 'The last name.'),
    ],
  }),
  attribute('displayName', 'The name that people see.'),
  attribute('active', 'False deactivates the account: sessions, tokens and event queues end.', { type: 'boolean' }),
  attribute('emails', 'One email is kept: the primary one, the one for work, or the first.', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'The email.'),
      attribute('type', 'Always work.'),
      attribute('primary', 'Always true.', { type: 'boolean' }),
    ],
  }),
]

const groupAttributes = [
  attribute('displayName', 'The name of the user group.', { required: true, caseExact: true, uniqueness: 'server' }),
  attribute('members', 'The users in the group.', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'The id of the user.', { mutability: 'immutable' }),
      attribute('display', 'The name of the user.', { mutability: 'readOnly' }),
    ],
  }),
]

export function schemaResources(base: string): Json[] {
  const schema = (id: string, name: string, attributes: Json[]) => ({
    schemas: schemas('Schema'),
    id,
    name,
    description: `A ${name.toLowerCase()}.`,
    attributes,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  })
  return [schema(userSchema, 'User', userAttributes), schema(groupSchema, 'Group', groupAttributes)]
}
