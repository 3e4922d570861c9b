import type { Context } from '../context.ts'
import { publicUrlOf } from '../organization/realms/hosts.ts'
import { StartupError } from '../platform/postgres/startup-error.ts'

/** The URL that links for people begin with. Other machines could not open the IP address that the server listens on. */
export function linkUrlOf({ config }: Pick<Context, 'config'>, realm: { host: string | null }): string {
  const url = publicUrlOf(config.publicUrl, realm)
  if (url === undefined) throw new StartupError('Set PUBLIC_URL, so that the links lead to your server.')
  return url
}
