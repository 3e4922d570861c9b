import { type Static, Type } from 'typebox'
import { id, nullable, unixSeconds } from '../common.ts'
import { operation, withDefault } from '../operation.ts'

export const exportTypes = { public: 1, standard: 2 } as const

export const realmExport = Type.Object({
  id: Type.Integer(),
  acting_user_id: Type.Integer(),
  export_time: unixSeconds,
  export_url: nullable(Type.String()),
  deleted_timestamp: nullable(unixSeconds),
  failed_timestamp: nullable(unixSeconds),
  pending: Type.Boolean(),
  export_type: Type.Enum([1, 2]),
})
export type RealmExport = Static<typeof realmExport>

const tag = 'Data export'

export const exportRealm = operation({
  name: 'exportRealm',
  method: 'POST',
  path: '/export/realm',
  access: 'admin',
  tag,
  summary:
    "Start an export of the organization's public data (1), or of that and the private data of users who consented (2).",
  params: { export_type: withDefault(Type.Enum([exportTypes.public, exportTypes.standard]), exportTypes.public) },
  response: { id: Type.Integer() },
})

export const getExports = operation({
  name: 'getExports',
  method: 'GET',
  path: '/export/realm',
  access: 'admin',
  tag,
  summary: 'List the exports of the organization, with the URLs of those that are ready.',
  response: { exports: Type.Array(realmExport) },
})

export const deleteExport = operation({
  name: 'deleteExport',
  method: 'DELETE',
  path: '/export/realm/{export_id}',
  access: 'admin',
  tag,
  summary: 'Delete a finished export.',
  pathParams: { export_id: id },
})

export const getExportConsents = operation({
  name: 'getExportConsents',
  method: 'GET',
  path: '/export/realm/consents',
  access: 'admin',
  tag,
  summary: 'List which users consented to the export of their private data.',
  response: { export_consents: Type.Array(Type.Object({ user_id: Type.Integer(), consented: Type.Boolean() })) },
})
