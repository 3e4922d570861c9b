import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../../../platform/http/api-error.ts'
import { refuseBrokenText } from '../../../platform/http/decode.ts'
import type { NewResumable } from './actions.ts'

export const tusVersion = '1.0.0'

/** Reads the headers that announce an upload. */
export function announcedUpload(headers: IncomingHttpHeaders): NewResumable {
  const metadata = metadataOf(String(headers['upload-metadata'] ?? ''))
  const name = metadata.get('filename') ?? metadata.get('name') ?? ''
  const contentType = metadata.get('filetype') ?? metadata.get('type') ?? ''
  refuseBrokenText('filename', name)
  refuseBrokenText('filetype', contentType)
  return { name: name.slice(0, 1000), contentType: contentType.slice(0, 200), size: uploadLength(headers) }
}

/** Pairs of a key and a base64 value, separated by commas. */
function metadataOf(text: string): Map<string, string> {
  const pairs = text.split(',').map((pair) => pair.trim().split(' '))
  return new Map(pairs.map(([key = '', value = '']) => [key, Buffer.from(value, 'base64').toString()]))
}

function uploadLength(headers: IncomingHttpHeaders): number {
  const length = numberOf(headers['upload-length'])
  if (length === undefined)
    throw new ApiError('Upload-Length is missing; uploads of unknown length are not supported.', 'BAD_REQUEST', {
      status: 411,
    })
  return length
}

export function uploadOffset(headers: IncomingHttpHeaders): number {
  const offset = numberOf(headers['upload-offset'])
  if (offset === undefined) throw new ApiError('Upload-Offset must be a whole number.')
  return offset
}

function numberOf(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : undefined
}

export function checkTusVersion(headers: IncomingHttpHeaders): void {
  if (headers['tus-resumable'] === tusVersion) return
  const more = { status: 412, headers: { 'Tus-Version': tusVersion } }
  throw new ApiError(`Tus-Resumable must be ${tusVersion}.`, 'BAD_REQUEST', more)
}
