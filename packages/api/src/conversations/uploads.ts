import { type Static, Type } from 'typebox'
import { id, keyword } from '../common.ts'
import { textLimits } from '../limits.ts'
import { operation, restOfPath } from '../operation.ts'

/** An uploaded file. Times are in milliseconds, always whole seconds. */
export const attachment = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  path_id: Type.String(),
  size: Type.Integer(),
  create_time: Type.Integer(),
  messages: Type.Array(Type.Object({ id: Type.Integer(), date_sent: Type.Integer() })),
})
export type Attachment = Static<typeof attachment>

/** The thumbnail formats of images. Only animated images also have an animated thumbnail. */
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
  summary: 'Upload a file that messages can link to.',
  errors: ['REALM_UPLOAD_QUOTA'],
  response: { uri: Type.String(), url: Type.String(), filename: Type.String() },
})

export const getFileUrl = operation({
  name: 'getFileUrl',
  method: 'GET',
  path: '/user_uploads/{realm_id_str}/{filename}',
  access: 'user',
  tag,
  summary: 'Get a temporary URL of a file. It works without credentials for one minute.',
  pathParams: { realm_id_str: keyword, filename: restOfPath(textLimits.url) },
  response: { url: Type.String() },
})

export const getAttachments = operation({
  name: 'getAttachments',
  method: 'GET',
  path: '/attachments',
  access: 'user',
  tag,
  summary: "List the caller's uploaded files, with the storage used by the whole organization.",
  response: { attachments: Type.Array(attachment), upload_space_used: Type.Integer() },
})

export const deleteAttachment = operation({
  name: 'deleteAttachment',
  method: 'DELETE',
  path: '/attachments/{attachment_id}',
  access: 'user',
  tag,
  summary: "Delete one of the caller's uploaded files.",
  pathParams: { attachment_id: id },
})
