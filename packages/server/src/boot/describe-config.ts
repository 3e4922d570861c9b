import type { Config } from '../config.ts'
import { nameOf } from './open-database.ts'

type Described = { [Name in keyof Config]: (value: NonNullable<Config[Name]>) => unknown }

const shown = (value: unknown) => value
/** Only that it is set. */
const hidden = () => 'set'
const server = (url: string) => (URL.canParse(url) ? `${new URL(url).protocol}//${new URL(url).host}` : 'set')

/** Every setting decides what of it may be read by others. */
const described: Described = {
  mode: shown,
  host: shown,
  port: shown,
  processes: shown,
  dataDir: shown,
  files: ({ bucketUrl, prefix, region }) => ({ bucketUrl: server(bucketUrl), prefix, region }),
  backupBucket: ({ bucketUrl, prefix, region }) => ({ bucketUrl: server(bucketUrl), prefix, region }),
  databaseUrl: nameOf,
  postgresPrograms: shown,
  databaseOwnerUrl: nameOf,
  publicUrl: server,
  trustProxy: shown,
  secretKey: hidden,
  oldSecretKeys: (keys) => keys.length,
  metricsToken: hidden,
  rateLimit: shown,
  signInFailures: shown,
  unsentLimit: shown,
  uploadQuota: shown,
  internalWebhooks: shown,
  internalPreviews: shown,
  smtpUrl: server,
  mailFrom: shown,
  mailFromPattern: shown,
  mailIn: shown,
  termsUrl: server,
  mediaProxy: ({ url }) => server(url),
  bigBlueButton: ({ url }) => server(url),
  poolSize: shown,
  jobsAtOnce: shown,
  workerPort: shown,
  stopGrace: shown,
  hasWebClient: shown,
  logLevel: shown,
  slowRequest: shown,
  accessLog: shown,
  tls: ({ from, httpPort }) => ({ from: 'directory' in from ? server(from.directory) : 'files', httpPort }),
  signOn: (methods) =>
    Object.fromEntries(Object.entries(methods).map(([name, list]: [string, unknown[]]) => [name, list.length])),
}

/** The configuration without its secrets. */
export function describeConfig(config: Config): Record<string, unknown> {
  const names = Object.keys(described) as (keyof Config)[]
  return Object.fromEntries(names.map((name) => [name, describeOne(config, name)]))
}

function describeOne<Name extends keyof Config>(config: Config, name: Name): unknown {
  const value = config[name]
  return value === undefined || value === null ? null : described[name](value)
}
