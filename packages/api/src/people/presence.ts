import { Type } from 'typebox'
import { byId, shortText } from '../common.ts'
import { operation, withDefault } from '../operation.ts'

const legacyClient = Type.Object({
  client: Type.String(),
  status: Type.Enum(['active', 'idle']),
  timestamp: Type.Integer(),
  pushable: Type.Optional(Type.Boolean()),
})
/** Users without activity for longer than this are offline. */
export const offlineSeconds = 200
const oneRecord = Type.Object({ status: Type.Enum(['active', 'idle', 'offline']), timestamp: Type.Integer() })
const modern = Type.Object({
  active_timestamp: Type.Optional(Type.Integer()),
  idle_timestamp: Type.Optional(Type.Integer()),
})

/** Keyed by email: one record per client, and the aggregate. */
export const legacyPresences = Type.Record(Type.String(), Type.Record(Type.String(), legacyClient))
/** Keyed by user id. */
export const modernPresences = byId(modern)
export const presences = Type.Union([modernPresences, legacyPresences])

export const updatePresence = operation({
  name: 'updatePresence',
  method: 'POST',
  path: '/users/me/presence',
  access: 'human',
  tag: 'Presence',
  summary: "Report the caller's presence and get that of other users.",
  params: {
    status: Type.Enum(['active', 'idle']),
    new_user_input: withDefault(Type.Boolean(), false),
    ping_only: withDefault(Type.Boolean(), false),
    slim_presence: withDefault(Type.Boolean(), false),
    last_update_id: Type.Optional(Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER })),
    history_limit_days: withDefault(Type.Integer({ minimum: 0 }), 14),
  },
  response: {
    presences: Type.Optional(presences),
    presence_last_update_id: Type.Optional(Type.Integer()),
    server_timestamp: Type.Optional(Type.Number()),
  },
})

export const getRealmPresence = operation({
  name: 'getRealmPresence',
  method: 'GET',
  path: '/realm/presence',
  access: 'user',
  tag: 'Presence',
  summary: 'Get the presence of all users.',
  response: { presences: legacyPresences, server_timestamp: Type.Number() },
})

export const getUserPresence = operation({
  name: 'getUserPresence',
  method: 'GET',
  path: '/users/{user_id_or_email}/presence',
  access: 'user',
  tag: 'Presence',
  summary: 'Get the presence of a user.',
  pathParams: { user_id_or_email: shortText },
  response: { presence: Type.Object({ aggregated: oneRecord, website: oneRecord }) },
})

export const presenceEventBody = Type.Record(Type.String(), legacyClient)
