import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { textLimits } from './limits.ts'
import type { RealmGroupSetting } from './permission-settings.ts'
import type { RequiredScope } from './scopes.ts'

/** Who may call an operation. Checked before the parameters are decoded. */
export type Access =
  | 'anyone' // no credentials needed
  | 'sender' // every account, incoming-webhook bots included
  | 'user' // every account that may read
  | 'human' // no bots
  | 'member' // no guests
  | 'human_member' // neither bots nor guests
  | 'moderator' // moderators, administrators and owners
  | 'admin' // administrators and owners
  | 'owner'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

export interface Operation<
  Path extends TProperties = TProperties,
  Params extends TProperties = TProperties,
  Response extends TProperties = TProperties,
> {
  /** Names the call in the typed client and in OpenAPI. */
  name: string
  method: Method
  /** Below /api/v1, with `{name}` for the parts declared in `pathParams`. */
  path: string
  /** Additional paths of the same operation. */
  aliases?: string[]
  access: Access
  /** An organization permission that the caller needs. Checked together with `access`. */
  permission?: RealmGroupSetting
  /** What a token needs to call it, where `scopeOf` would derive another scope. */
  scope?: RequiredScope
  /** The operation checks a password and counts failures itself, so many users behind one IP address may call it at once. */
  isSignIn?: true
  /** The operation accepts one file of at most this many bytes, in a multipart form, under any field name. */
  fileLimit?: number
  /** The file may be omitted. */
  fileIsOptional?: true
  tag: string
  summary: string
  pathParams: Path
  params: Params
  response: Response
  /** Error codes in addition to those that every operation can return. */
  errors?: string[]
}

type Declared<Path extends TProperties, Params extends TProperties, Response extends TProperties> = Omit<
  Operation<Path, Params, Response>,
  'pathParams' | 'params' | 'response'
> & { pathParams?: Path; params?: Params; response?: Response }

/** An operation without declared parameters has exactly none. */
type None = Record<never, never>

/** Declares an operation. Its route, validation, types, documentation and client call are derived from it. */
export function operation<
  Path extends TProperties = None,
  Params extends TProperties = None,
  Response extends TProperties = None,
>(declared: Declared<Path, Params, Response>): Operation<Path, Params, Response> {
  return { pathParams: {} as Path, params: {} as Params, response: {} as Response, ...declared }
}

export function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'method' in value && 'pathParams' in value
}

export type PathOf<O> = O extends Operation<infer Path, TProperties, TProperties> ? Static<TObject<Path>> : never
export type ParamsOf<O> = O extends Operation<TProperties, infer Params, TProperties> ? Static<TObject<Params>> : never
export type ResponseOf<O> =
  O extends Operation<TProperties, TProperties, infer Response> ? Static<TObject<Response>> : never

/** An optional parameter with a default value. */
export function withDefault<S extends TSchema>(schema: S, value: Static<S>): S & { default: Static<S> } {
  return { ...schema, default: value }
}

/** A parameter that is also accepted under an older name. Requests with both are refused. */
export function withAlias<S extends TSchema>(schema: S, alias: string): S {
  return { ...schema, 'x-alias': alias }
}

/** A parameter that clients send either as JSON or as bare text (`to=general`, `to=7`, `anchor=newest`). */
export function jsonOrText<S extends TSchema>(schema: S): S {
  return { ...schema, 'x-json-or-text': true }
}

/** A parameter that is ignored unless another one, declared before it, has one of these values. */
export function onlyFor<S extends TSchema>(schema: S, name: string, values: string[]): S {
  return { ...schema, 'x-only-for': { name, values } }
}

/** The rest of the path, slashes included. */
export function restOfPath(maxLength: number) {
  return Type.String({ maxLength, 'x-rest': true })
}

/** A topic. The display name of the empty topic is decoded as the empty string. */
export function topicText({ maxLength = textLimits.truncated as number } = {}) {
  return Type.String({ maxLength, 'x-topic': true })
}
