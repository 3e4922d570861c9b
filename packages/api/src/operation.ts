import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { RealmGroupSetting } from './settings.ts'

/** Who may call an operation, judged before its parameters are read. */
export type Access =
  | 'anyone' // no credentials needed
  | 'sender' // every account, incoming-webhook bots included
  | 'user' // every account that may read
  | 'human' // no bots
  | 'member' // no guests
  | 'human_member' // neither bots nor guests
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
  /** Further paths that mean the same. */
  aliases?: string[]
  access: Access
  /** A permission of the organization that the caller must hold, judged together with `access`. */
  permission?: RealmGroupSetting
  /** It checks a password and counts failures itself, so an office behind one IP address may call it all at once. */
  isSignIn?: true
  /** It takes one file of at most this many bytes, in a multipart form, under any field name. */
  fileLimit?: number
  /** It can do without the file. */
  fileIsOptional?: true
  tag: string
  summary: string
  pathParams: Path
  params: Params
  response: Response
  /** Codes beyond those every operation can answer. */
  errors?: string[]
}

type Declared<Path extends TProperties, Params extends TProperties, Response extends TProperties> = Omit<
  Operation<Path, Params, Response>,
  'pathParams' | 'params' | 'response'
> & { pathParams?: Path; params?: Params; response?: Response }

/** An operation without parameters has exactly none. */
type None = Record<never, never>

/** Declares one operation: its route, validation, types, documentation and client call all follow from it. */
export function operation<
  Path extends TProperties = None,
  Params extends TProperties = None,
  Response extends TProperties = None,
>(declared: Declared<Path, Params, Response>): Operation<Path, Params, Response> {
  return { pathParams: {} as Path, params: {} as Params, response: {} as Response, ...declared }
}

export type PathOf<O> = O extends Operation<infer Path, TProperties, TProperties> ? Static<TObject<Path>> : never
export type ParamsOf<O> = O extends Operation<TProperties, infer Params, TProperties> ? Static<TObject<Params>> : never
export type ResponseOf<O> =
  O extends Operation<TProperties, TProperties, infer Response> ? Static<TObject<Response>> : never

/** A parameter that may be left out and then has this value. */
export function withDefault<S extends TSchema>(schema: S, value: Static<S>): S & { default: Static<S> } {
  return { ...schema, default: value }
}

/** A parameter that is also read under an older name. Sending both is refused. */
export function withAlias<S extends TSchema>(schema: S, alias: string): S {
  return { ...schema, 'x-alias': alias }
}

/** A parameter that clients send either as JSON or as bare text (`to=general`, `to=7`, `anchor=newest`). */
export function jsonOrText<S extends TSchema>(schema: S): S {
  return { ...schema, 'x-json-or-text': true }
}

/** A parameter that is read only if another one, declared before it, has one of these values. */
export function onlyFor<S extends TSchema>(schema: S, name: string, values: string[]): S {
  return { ...schema, 'x-only-for': { name, values } }
}

/** The rest of the path, slashes included. */
export function restOfPath(options: Record<string, unknown> = {}) {
  return Type.String({ ...options, 'x-rest': true })
}

/** A topic: the display name of the empty topic is read as the empty string. */
export function topicText(options: Record<string, unknown> = {}) {
  return Type.String({ ...options, 'x-topic': true })
}
