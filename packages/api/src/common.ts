import { type Static, type TSchema, Type } from 'typebox'
import { listLimits, textLimits } from './limits.ts'

export const id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
export const unixSeconds = Type.Integer()

export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()])
}

/** A map keyed by id. JSON object keys are always strings. */
export function byId<S extends TSchema>(schema: S) {
  return Type.Record(Type.String(), schema)
}

const permissionMembers = Type.Array(id, { maxItems: listLimits.permissionMembers })
/** A named group by its id, or an anonymous group by its members and subgroups. */
export const groupSettingValue = Type.Union([
  id,
  Type.Object({ direct_members: permissionMembers, direct_subgroups: permissionMembers }),
])
export type GroupSettingValue = Static<typeof groupSettingValue>

export { maxMessageLength, maxTopicLength } from './message-limits.ts'
export { roles } from './roles.ts'
export const role = Type.Enum([100, 200, 300, 400, 600])
export type Role = Static<typeof role>

/** Text of a request that has at most this many characters. */
export function text(maxLength: number, options: Record<string, unknown> = {}) {
  return Type.String({ maxLength, ...options })
}

export const shortText = text(textLimits.short)
export const truncatedText = text(textLimits.truncated)
export const keyword = text(textLimits.keyword)

/** An object of a request with any keys. */
export function record<S extends TSchema>(values: S, { keys, maxProperties }: { keys: number; maxProperties: number }) {
  return Type.Record(Type.String(), values, { maxProperties, propertyNames: { maxLength: keys } })
}

/** A user in a list that clients send: an id or an email. */
export const userIdOrEmail = Type.Union([id, text(textLimits.email)])

export const ownPassword = Type.Optional(
  text(textLimits.password, {
    description: "The caller's password, if the request is authenticated by the cookie of a session.",
  }),
)

export const emptyTopicDisplayName = 'general chat'
export const featureLevel = 372
