import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { moduleUrl } from '../platform/installation.ts'
import { StartupError } from '../platform/postgres/startup-error.ts'
import type { SignOn } from './sign-on-schema.ts'

export const noSignOn: SignOn = { oidc: [], jwt: [], ldap: [], saml: [], header: [] }

/**
 * Reads the file that configures single sign-on. It contains secrets, so that environment variables only name it. The
 * schema is loaded only if there is a file: commands should start fast.
 */
export function readSignOn(path: string | undefined): SignOn {
  if (path === undefined) return noSignOn
  const { parseSignOn } = createRequire(import.meta.url)(
    fileURLToPath(moduleUrl('signOnSchema')),
  ) as typeof import('./sign-on-schema.ts')
  return parseSignOn(path, readFile(path))
}

function readFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new StartupError(`SIGN_ON_FILE ${path} cannot be read: ${(error as Error).message}`)
  }
}
