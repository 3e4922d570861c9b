import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { lookup } from '@parley/api/lookup'
import { hostOf } from './config/host-of.ts'
import { readSignOn } from './config/sign-on-file.ts'
import type { SignOn } from './config/sign-on-schema.ts'
import { readTls, type Tls, usesTls } from './config/tls.ts'
import { parseFilesUrl, type S3Location } from './platform/files/s3/location.ts'
import { serveCommand } from './platform/installation.ts'
import { StartupError } from './platform/postgres/startup-error.ts'

/** All operator settings, read once at start. docs/operations.md has the table. */
export interface Config {
  mode: 'demo' | 'production'
  host: string
  port: number
  /** How many processes serve on the port. */
  processes: number
  dataDir: string
  /** Where uploads, avatars, emoji and exports are stored; absent: in `dataDir`. */
  files: S3Location | undefined
  /** Where backups are copied to; absent: nowhere. */
  backupBucket: S3Location | undefined
  /** Absent: the embedded PostgreSQL in `dataDir`. */
  databaseUrl: string | undefined
  /** Where the system has programs of PostgreSQL for the database in `dataDir`; absent: those that come with Parley. */
  postgresPrograms: string | undefined
  /** The database owner, who runs migrations, if `databaseUrl` is a role that only serves. */
  databaseOwnerUrl: string | undefined
  /** The URL at which users reach the server, if it differs from the one in their requests. */
  publicUrl: string | undefined
  trustProxy: string[] | false
  secretKey: string | undefined
  /** Keys that were replaced by `secretKey` and can still be read. */
  oldSecretKeys: string[]
  metricsToken: string | undefined
  rateLimit: number
  /** Failed sign-ins allowed per IP address in 15 minutes, over all accounts. */
  signInFailures: number
  /** MiB of responses that a process keeps in memory for clients that do not read them. */
  unsentLimit: number
  /** MiB that the uploads of each realm may take in total; null: unlimited. */
  uploadQuota: number | null
  /** Internal hosts and networks that outgoing webhooks may reach. */
  internalWebhooks: string[]
  /** Hosts whose pages are previewed although they are not public. */
  internalPreviews: string[]
  /** Absent: no mail is sent; the demo server shows it instead. */
  smtpUrl: string | undefined
  mailFrom: string
  /** The address of emails in the name of a user, with %s for the user's id; absent: they come from `mailFrom`. */
  mailFromPattern: string | undefined
  /** Absent: no email is received. */
  mailIn: MailIn | undefined
  /** The terms that people accept when they join. */
  termsUrl: string | undefined
  /** Absent: the reader's client fetches external images directly. */
  mediaProxy: { url: string; key: string } | undefined
  /** Absent: no video calls with BigBlueButton. */
  bigBlueButton: { url: string; secret: string } | undefined
  poolSize: number
  /** Concurrent background jobs, for quick and slow tasks each; 0: other processes run them. */
  jobsAtOnce: number
  /** Where a worker serves its health checks; absent: nowhere. */
  workerPort: number | undefined
  /** Seconds in which a server that is stopping still serves, so that load balancers notice. */
  stopGrace: number
  /** Whether the server builds and serves the web client. */
  hasWebClient: boolean
  logLevel: string
  /** Milliseconds from which a request is logged as slow; 0: none. */
  slowRequest: number
  /** Whether every request is logged. */
  accessLog: boolean
  /** Single sign-on, from SIGN_ON_FILE. */
  signOn: SignOn
  /** Absent: a proxy terminates TLS, or nobody does. */
  tls: Tls | undefined
}

/** How emails are received. */
export interface MailIn {
  /** Of the addresses for replies. */
  domain: string
  /** The name of the mail server whose `Authentication-Results` count; absent: nobody has checked who sent an email. */
  authority: string | undefined
  /** Where a mail server passes emails on; absent: only `parley mail deliver` takes them. */
  listener: MailListener | undefined
}

export interface MailListener {
  protocol: 'lmtp' | 'smtp'
  host: string
  port: number
}

type Environment = Record<string, string | undefined>

export function readConfig(mode: Config['mode'], env: Environment = process.env): Config {
  const config: Config = {
    mode,
    host: env.HOST || (mode === 'production' && usesTls(env) ? '0.0.0.0' : '127.0.0.1'),
    port: integer(env, 'PORT', usesTls(env) ? 443 : 9991, 0, 65_535),
    processes: isAuto(env.PROCESSES) ? defaultProcesses : integer(env, 'PROCESSES', 1, 1, 256),
    dataDir: resolve(env.DATA_DIR || './var'),
    files: env.FILES_URL ? parseFilesUrl(env.FILES_URL, env) : undefined,
    backupBucket: env.BACKUP_BUCKET ? parseBackupBucket(env.BACKUP_BUCKET, env) : undefined,
    databaseUrl: env.DATABASE_URL || undefined,
    postgresPrograms: env.POSTGRES_PROGRAMS || undefined,
    databaseOwnerUrl: env.DATABASE_OWNER_URL || undefined,
    publicUrl: env.PUBLIC_URL?.replace(/(?<!\/)\/+$/, '') || undefined,
    trustProxy: env.TRUST_PROXY ? env.TRUST_PROXY.split(',').map((part) => part.trim()) : false,
    secretKey: env.SECRET_KEY || undefined,
    oldSecretKeys: list(env.OLD_SECRET_KEYS),
    metricsToken: env.METRICS_TOKEN || undefined,
    rateLimit: integer(env, 'RATE_LIMIT', 200, 0, 1_000_000),
    signInFailures: integer(env, 'SIGN_IN_FAILURES', 1000, 20, 1_000_000),
    unsentLimit: integer(env, 'UNSENT_LIMIT', 256, 16, 1_000_000),
    uploadQuota: integer(env, 'REALM_UPLOAD_QUOTA', 0, 0, 1_000_000_000) || null,
    internalWebhooks: [...thisMachine(mode), ...list(env.ALLOW_INTERNAL_WEBHOOKS)],
    internalPreviews: [...thisMachine(mode), ...list(env.ALLOW_INTERNAL_PREVIEWS)],
    smtpUrl: env.SMTP_URL || undefined,
    mailFrom: env.MAIL_FROM || 'Parley <noreply@localhost>',
    mailFromPattern: mailFromPattern(env.MAIL_FROM_PATTERN || undefined),
    mailIn: mailIn(env),
    termsUrl: env.TERMS_URL || undefined,
    mediaProxy: mediaProxy(env.MEDIA_PROXY_URL, env.MEDIA_PROXY_KEY),
    bigBlueButton: bigBlueButton(env.BIG_BLUE_BUTTON_URL, env.BIG_BLUE_BUTTON_SECRET),
    poolSize: integer(env, 'DATABASE_POOL', 16, 4, 500),
    jobsAtOnce: integer(env, 'JOBS_AT_ONCE', 2, 0, 100),
    workerPort: env.WORKER_PORT ? integer(env, 'WORKER_PORT', 0, 0, 65_535) : undefined,
    stopGrace: integer(env, 'STOP_GRACE', mode === 'demo' ? 0 : 5, 0, 300),
    hasWebClient: env.WEB_CLIENT !== 'off',
    logLevel: env.LOG_LEVEL || (mode === 'demo' ? 'warn' : 'info'),
    slowRequest: integer(env, 'SLOW_REQUEST', 2000, 0, 600_000),
    accessLog: env.ACCESS_LOG === 'on',
    signOn: readSignOn(env.SIGN_ON_FILE || undefined),
    tls: usesTls(env) ? readTls(env, integer(env, 'HTTP_PORT', 80, 0, 65_535)) : undefined,
  }
  refuseDangerous(config)
  return config
}

/** Its credentials may differ from those of FILES_URL: a server that was broken into should not delete its backups. */
export function parseBackupBucket(url: string, env: Environment = process.env): S3Location {
  const { BACKUP_ACCESS_KEY_ID: id, BACKUP_SECRET_ACCESS_KEY: secret } = env
  const own = { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: undefined }
  return parseFilesUrl(url, id ? { ...env, ...own } : env, 'BACKUP_BUCKET')
}

/** The demo is for trying things out on one machine. */
function thisMachine(mode: Config['mode']): string[] {
  return mode === 'demo' ? ['127.0.0.0/8', '::1'] : []
}

function isAuto(text = ''): boolean {
  return text === '' || text === 'auto'
}

/** PostgreSQL needs about as much CPU time as the processes that serve. Only Linux distributes connections among them. */
const defaultProcesses = process.platform === 'linux' ? Math.max(1, Math.floor(availableParallelism() / 2)) : 1

/** The proxy verifies signatures made with the key, so one is useless without the other. */
function mediaProxy(url = '', key = ''): Config['mediaProxy'] {
  if (url === '' && key === '') return undefined
  if (!/^(https?:\/)?\/[^?#]+$/.test(url) || key === '')
    throw new StartupError(
      'MEDIA_PROXY_URL must look like https://media.example.com/external_content, with MEDIA_PROXY_KEY the key it shares with Parley.',
    )
  return { url: url.replace(/(?<!\/)\/+$/, ''), key }
}

function bigBlueButton(url = '', secret = ''): Config['bigBlueButton'] {
  if (url === '' && secret === '') return undefined
  if (!/^https?:\/\/[^?#]+$/.test(url) || secret === '')
    throw new StartupError(
      'BIG_BLUE_BUTTON_URL must look like https://calls.example.com/bigbluebutton, with BIG_BLUE_BUTTON_SECRET its shared secret.',
    )
  return { url: url.replace(/(?<!\/)\/+$/, ''), secret }
}

const domainName = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/

function mailFromPattern(pattern: string | undefined): string | undefined {
  if (pattern === undefined || /^[\w.+-]*%s[\w.+-]*@[\w.-]+$/.test(pattern)) return pattern
  throw new StartupError(
    'MAIL_FROM_PATTERN must be an address with %s for the id of a user, like n.%s@chat.example.com.',
  )
}

function mailIn(env: Environment): MailIn | undefined {
  const listener = env.MAIL_IN_URL ? mailListener(env.MAIL_IN_URL) : undefined
  const domain = env.MAIL_IN_DOMAIN?.toLowerCase() || (listener && hostOf(env.PUBLIC_URL))
  const authority = env.MAIL_IN_AUTH?.toLowerCase() || undefined
  if (domain !== undefined && !domainName.test(domain))
    throw new StartupError(
      'MAIL_IN_DOMAIN must be a domain like chat.example.com, whose emails your mail server passes on.',
    )
  if (authority !== undefined && !domainName.test(authority))
    throw new StartupError(
      'MAIL_IN_AUTH must be the name in Authentication-Results of your mail server, like mx.example.com.',
    )
  if (domain === undefined && listener !== undefined)
    throw new StartupError('MAIL_IN_URL needs MAIL_IN_DOMAIN, or PUBLIC_URL with a host name.')
  if (domain === undefined && authority !== undefined)
    throw new StartupError('MAIL_IN_AUTH does nothing without MAIL_IN_DOMAIN.')
  return domain === undefined ? undefined : { domain, authority, listener }
}

function mailListener(text: string): MailListener {
  const found = /^(lmtp|smtp):\/\/(\[[\da-f:.]+\]|[\w.-]+):(\d{1,5})\/?$/i.exec(text)
  if (!found || Number(found[3]) > 65_535) throw new StartupError('MAIL_IN_URL must look like lmtp://127.0.0.1:2525.')
  const protocol = found[1]!.toLowerCase() === 'lmtp' ? 'lmtp' : 'smtp'
  return { protocol, host: found[2]!.replace(/^\[|\]$/g, ''), port: Number(found[3]) }
}

function list(text = ''): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function refuseDangerous({
  mode,
  host,
  secretKey,
  oldSecretKeys,
  publicUrl,
  trustProxy,
  smtpUrl,
  termsUrl,
  logLevel,
}: Config): void {
  if (mode === 'demo' && !isLoopback(host))
    throw new StartupError(
      `The demo server hands out everybody's keys, so it only listens on this machine: unset HOST (now ${host}) or use ${serveCommand}.`,
    )
  if (secretKey !== undefined && secretKey.length < 32)
    throw new StartupError('SECRET_KEY is too short to be a secret: use at least 32 random characters.')
  if (oldSecretKeys.length > 0 && secretKey === undefined)
    throw new StartupError('OLD_SECRET_KEYS needs SECRET_KEY, the key that replaces them.')
  if (publicUrl !== undefined && !/^https?:\/\/[^/]+$/.test(publicUrl))
    throw new StartupError('PUBLIC_URL must look like https://chat.example.com, without a path.')
  const invalid = trustProxy ? trustProxy.find((part) => !isNetwork(part)) : undefined
  if (invalid !== undefined)
    throw new StartupError(`TRUST_PROXY must list IP addresses or networks like 10.0.0.0/8, not "${invalid}".`)
  if (smtpUrl !== undefined && !/^smtps?:\/\//.test(smtpUrl))
    throw new StartupError('SMTP_URL must look like smtps://user:password@mail.example.com:465.')
  if (termsUrl !== undefined && !/^https?:\/\//.test(termsUrl))
    throw new StartupError('TERMS_URL must look like https://example.com/terms.')
  if (!logLevels.includes(logLevel))
    throw new StartupError(`LOG_LEVEL must be one of ${logLevels.join(', ')}, not "${logLevel}".`)
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

function isNetwork(text: string): boolean {
  const [address = '', bits = '0', ...rest] = text.split('/')
  const most = isIP(address) === 6 ? 128 : 32
  return (
    ['loopback', 'linklocal', 'uniquelocal'].includes(text) ||
    (isIP(address) > 0 && Number(bits) <= most && rest.length === 0)
  )
}

/**
 * The host names that a demo answers to. A web site could point its own name at this machine, and its pages could then
 * read the API keys of all users (DNS rebinding).
 */
export function demoHosts({ mode, host, publicUrl }: Config): ReadonlySet<string> | undefined {
  if (mode !== 'demo') return undefined
  const own = publicUrl === undefined ? [] : [new URL(publicUrl).hostname]
  return new Set(['localhost', '127.0.0.1', '[::1]', host, ...own])
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host) || host === '::ffff:127.0.0.1'
}

function integer(env: Environment, name: string, fallback: number, least: number, most: number): number {
  const text = lookup(env, name)
  if (text === undefined || text === '') return fallback
  const value = Number(text)
  if (!Number.isInteger(value) || value < least || value > most)
    throw new StartupError(`${name} must be a whole number from ${least} to ${most}, not "${text}".`)
  return value
}
