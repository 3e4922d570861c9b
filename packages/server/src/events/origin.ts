import { AsyncLocalStorage } from 'node:async_hooks'

/** Where an act comes from, for the audit log. */
export interface Origin {
  via: 'session' | 'token' | 'key' | 'request' | 'command' | 'server' | 'scim'
  /** Of the session or token, or of the token of an identity provider. */
  credential_id: number | null
  ip_address: string | null
}

const origins = new AsyncLocalStorage<() => Origin>()
const server: Origin = { via: 'server', credential_id: null, ip_address: null }

/** Everything that `work` starts comes from there. `find` is called for each act, because callers become known late. */
export function runFrom<T>(find: () => Origin, work: () => T): T {
  return origins.run(find, work)
}

/** Background work comes from the server itself. */
export function currentOrigin(): Origin {
  return origins.getStore()?.() ?? server
}
