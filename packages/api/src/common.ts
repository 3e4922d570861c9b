import { type Static, type TSchema, Type } from 'typebox'
import { listLimits } from './limits.ts'

export const id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
export const unixSeconds = Type.Integer()

export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()])
}

/** A map keyed by id. JSON object keys are always strings. */
export function byId<S extends TSchema>(schema: S) {
  return Type.Record(Type.String(), schema)
}

const groupMembers = Type.Array(id, { maxItems: listLimits.groupMembers })
/** A named group by its id, or an anonymous group by its members and subgroups. */
export const groupSettingValue = Type.Union([
  id,
  Type.Object({ direct_members: groupMembers, direct_subgroups: groupMembers }),
])
export type GroupSettingValue = Static<typeof groupSettingValue>

export { roles } from './roles.ts'
export const role = Type.Enum([100, 200, 300, 400, 600])
export type Role = Static<typeof role>

/** A user in a list that clients send: an id or an email. */
export const userIdOrEmail = Type.Union([id, Type.String()])

export const ownPassword = Type.Optional(
  Type.String({
    description: "The caller's password, if the request is authenticated by the cookie of a session.",
  }),
)

export const emptyTopicDisplayName = 'general chat'
export const maxTopicLength = 60
export const maxMessageLength = 10_000
export const featureLevel = 372
