import { type Static, Type } from 'typebox'
import { id } from './common.ts'
import { operation, restOfPath } from './operation.ts'

/** A file that somebody uploaded. Times are UNIX seconds times 1000. */
export const attachment = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  path_id: Type.String(),
  size: Type.Integer(),
  create_time: Type.Integer(),
  messages: Type.Array(Type.Object({ id: Type.Integer(), date_sent: Type.Integer() })),
})
export type Attachment = Static<typeof attachment>

/** The small forms of pictures that are served; what does not move has only the one that stands still. */
export const thumbnailFormats = [
  { name: '840x560-anim.webp', max_width: 840, max_height: 560, format: 'webp', animated: true },
  { name: '840x560.webp', max_width: 840, max_height: 560, format: 'webp', animated: false },
]

const tag = 'Uploads'
const megabyte = 1024 * 1024
export const maxUploadMegabytes = 25

export const uploadFile = operation({
  name: 'uploadFile',
  method: 'POST',
  path: '/user_uploads',
  access: 'user',
  fileLimit: maxUploadMegabytes * megabyte,
  tag,
  summary: 'Upload a file, for messages to link to.',
  errors: ['REALM_UPLOAD_QUOTA'],
  response: { uri: Type.String(), url: Type.String(), filename: Type.String() },
})

export const getFileUrl = operation({
  name: 'getFileUrl',
  method: 'GET',
  path: '/user_uploads/{realm_id_str}/{filename}',
  access: 'user',
  tag,
  summary: 'An address at which a file can be had for a minute without credentials.',
  pathParams: { realm_id_str: Type.String(), filename: restOfPath() },
  response: { url: Type.String() },
})

export const getAttachments = operation({
  name: 'getAttachments',
  method: 'GET',
  path: '/attachments',
  access: 'user',
  tag,
  summary: "One's own uploaded files, and how much space all files of the organization take.",
  response: { attachments: Type.Array(attachment), upload_space_used: Type.Integer() },
})

export const deleteAttachment = operation({
  name: 'deleteAttachment',
  method: 'DELETE',
  path: '/attachments/{attachment_id}',
  access: 'user',
  tag,
  summary: "Delete one's own uploaded file.",
  pathParams: { attachment_id: id },
})
