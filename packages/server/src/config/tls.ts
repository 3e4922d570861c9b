import { StartupError } from '../platform/postgres/startup-error.ts'
import { hostOf } from './host-of.ts'

type Environment = Record<string, string | undefined>

/** How this server terminates TLS itself. */
export interface Tls {
  /** Where certificates come from: files, or orders at a certificate authority. */
  from: { certFile: string; keyFile: string } | Authority
  /** Where HTTP is redirected to HTTPS; 0: nowhere. */
  httpPort: number
}

/** A certificate authority that speaks ACME. */
export interface Authority {
  directory: string
  /** Where it sends warnings. */
  email: string | undefined
  /** The certificate of a private authority. */
  caFile: string | undefined
}

export function usesTls(env: Environment): boolean {
  return Boolean(env.TLS || env.TLS_CERT_FILE || env.TLS_KEY_FILE)
}

const letsEncrypt = 'https://acme-v02.api.letsencrypt.org/directory'

export function readTls(env: Environment, httpPort: number): Tls {
  const { TLS_CERT_FILE: certFile = '', TLS_KEY_FILE: keyFile = '' } = env
  if (!env.PUBLIC_URL?.startsWith('https://'))
    throw new StartupError('TLS needs PUBLIC_URL, the https URL of this server, like https://chat.example.com.')
  if (env.TLS && env.TLS !== 'auto') throw new StartupError(`TLS must be "auto" or unset, not "${env.TLS}".`)
  if (env.TLS && (certFile || keyFile))
    throw new StartupError('TLS=auto orders certificates itself: unset TLS_CERT_FILE and TLS_KEY_FILE, or TLS.')
  if (!env.TLS && !(certFile && keyFile))
    throw new StartupError('TLS_CERT_FILE and TLS_KEY_FILE belong together: set both.')
  return { from: env.TLS ? authority(env) : { certFile, keyFile }, httpPort }
}

function authority(env: Environment): Authority {
  const directory = env.ACME_DIRECTORY || letsEncrypt
  const host = hostOf(env.PUBLIC_URL)
  if (host === undefined || !host.includes('.'))
    throw new StartupError(
      'TLS=auto needs PUBLIC_URL with a host name, because no authority certifies IP addresses here.',
    )
  if (!/^https:\/\/[^/]+\/\S*$/.test(directory))
    throw new StartupError(`ACME_DIRECTORY must be the URL of a certificate authority, like ${letsEncrypt}.`)
  return { directory, email: env.ACME_EMAIL || undefined, caFile: env.ACME_CA_FILE || undefined }
}
