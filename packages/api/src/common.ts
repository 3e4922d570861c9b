import { type Static, type TSchema, Type } from 'typebox'
import { listLimits } from './limits.ts'

export const id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
export const unixSeconds = Type.Integer()

export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()])
}

/** A map from ids, which JSON can only hold as text, to something. */
export function byId<S extends TSchema>(schema: S) {
  return Type.Record(Type.String(), schema)
}

const groupMembers = Type.Array(id, { maxItems: listLimits.groupMembers })
/** A named group by id, or an unnamed one by what it consists of. */
export const groupSettingValue = Type.Union([
  id,
  Type.Object({ direct_members: groupMembers, direct_subgroups: groupMembers }),
])
export type GroupSettingValue = Static<typeof groupSettingValue>

export { roles } from './roles.ts'
export const role = Type.Enum([100, 200, 300, 400, 600])
export type Role = Static<typeof role>

/** A user id as clients put it into lists of people: the id or the address. */
export const userIdOrEmail = Type.Union([id, Type.String()])

export const emptyTopicDisplayName = 'general chat'
export const maxTopicLength = 60
export const maxMessageLength = 10_000
export const featureLevel = 372
