import type { Operation, PathOf, ResponseOf } from '@parley/api/operation'
import type { Operations } from '@parley/api/operations'
import type { Static, TObject, TProperties } from 'typebox'

/** Parameters with a default are optional. */
type Defaulted<P extends TProperties> = { [K in keyof P as P[K] extends { default: unknown } ? K : never]: P[K] }
type Undefaulted<P extends TProperties> = { [K in keyof P as P[K] extends { default: unknown } ? never : K]: P[K] }

type Params<O> =
  O extends Operation<TProperties, infer P, TProperties>
    ? Static<TObject<Undefaulted<P>>> & Partial<Static<TObject<Defaulted<P>>>>
    : never

type Path<O> = [keyof PathOf<O>] extends [never] ? unknown : { path: PathOf<O> }

export type CallName = keyof Operations

/** The parameters of a call. Path parameters are under `path`. */
export type CallParams<Name extends CallName> = Params<Operations[Name]> & Path<Operations[Name]>

export type CallResponse<Name extends CallName> = ResponseOf<Operations[Name]> & {
  ignored_parameters_unsupported?: string[]
}

export interface CallOptions {
  signal?: AbortSignal | undefined
  /** Lets a write be repeated safely: the server applies it once per key. */
  idempotencyKey?: string | undefined
}

/** `params` is optional if every parameter is. */
export type CallArguments<Name extends CallName> =
  Record<never, never> extends CallParams<Name>
    ? [params?: CallParams<Name>, options?: CallOptions]
    : [params: CallParams<Name>, options?: CallOptions]

/** Calls operations by name. */
export interface Caller {
  call<Name extends CallName>(name: Name, ...args: CallArguments<Name>): Promise<CallResponse<Name>>
}
