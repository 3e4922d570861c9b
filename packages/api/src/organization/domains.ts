import { Type } from 'typebox'
import { shortText } from '../common.ts'
import { operation } from '../operation.ts'

export const realmDomain = Type.Object({ domain: Type.String(), allow_subdomains: Type.Boolean() })

const allow_subdomains = Type.Boolean()
const pathParams = { domain: shortText }

export const getDomains = operation({
  name: 'getDomains',
  method: 'GET',
  path: '/realm/domains',
  access: 'user',
  tag: 'Organization',
  summary: 'List the email domains that new users may have.',
  response: { domains: Type.Array(realmDomain) },
})

export const addDomain = operation({
  name: 'addDomain',
  method: 'POST',
  path: '/realm/domains',
  access: 'owner',
  tag: 'Organization',
  summary: 'Allow an email domain.',
  params: { domain: shortText, allow_subdomains },
  response: { new_domain: Type.Tuple([Type.Integer(), Type.String()]) },
})

export const updateDomain = operation({
  name: 'updateDomain',
  method: 'PATCH',
  path: '/realm/domains/{domain}',
  access: 'owner',
  tag: 'Organization',
  summary: 'Allow or disallow the subdomains of an email domain.',
  pathParams,
  params: { allow_subdomains },
})

export const removeDomain = operation({
  name: 'removeDomain',
  method: 'DELETE',
  path: '/realm/domains/{domain}',
  access: 'owner',
  tag: 'Organization',
  summary: 'Remove an allowed email domain. If none is left, any email is allowed.',
  pathParams,
})
