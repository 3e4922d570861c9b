import { StartupError } from '../../postgres/startup-error.ts'
import type { Credentials } from './s3-signature.ts'

/** Where files are stored in a service that speaks the S3 protocol. */
export interface S3Location {
  /** The URL of the bucket, without a slash at its end. */
  bucketUrl: string
  /** Precedes the path of every file; empty or with a slash at its end. */
  prefix: string
  region: string
  credentials: Credentials
  /** The setting that names it, for messages. */
  setting: string
}

const example = 's3://bucket/folder?region=eu-central-1, with &endpoint=https://s3.example.com if it is not at Amazon'

/**
 * Parses the value of FILES_URL or another setting. With an `endpoint` the bucket is in the path, because most services that run on own hosts have no
 * DNS name for each bucket.
 */
export function parseFilesUrl(
  text: string,
  env: Record<string, string | undefined>,
  setting = 'FILES_URL',
): S3Location {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const bucket = url?.hostname ?? ''
  const prefix = url?.pathname.replace(/^\/+|(?<!\/)\/+$/g, '') ?? ''
  const unknown = [...(url?.searchParams.keys() ?? [])].find((name) => name !== 'region' && name !== 'endpoint')
  const region = url?.searchParams.get('region') ?? env.AWS_REGION ?? 'us-east-1'
  const endpoint = url?.searchParams.get('endpoint')?.replace(/(?<!\/)\/+$/, '')
  const isValid =
    url?.protocol === 's3:' && /^[a-z0-9][a-z0-9.-]+$/.test(bucket) && /^[\w./-]*$/.test(prefix) && !unknown
  if (!isValid || (endpoint !== undefined && !/^https?:\/\/[^/?#]+$/.test(endpoint)))
    throw new StartupError(`${setting} must look like ${example}.`)
  return {
    bucketUrl: endpoint ? `${endpoint}/${bucket}` : `https://${bucket}.s3.${region}.amazonaws.com`,
    prefix: prefix && `${prefix}/`,
    region,
    credentials: readCredentials(env, setting),
    setting,
  }
}

function readCredentials(env: Record<string, string | undefined>, setting: string): Credentials {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env
  if (!accessKeyId || !secretAccessKey)
    throw new StartupError(`${setting} needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`)
  return { accessKeyId, secretAccessKey, sessionToken: env.AWS_SESSION_TOKEN || undefined }
}
