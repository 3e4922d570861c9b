import { isIP } from 'node:net'

/** The host name in a URL, if it has one: an IP address is none. */
export function hostOf(url = ''): string | undefined {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  return host === '' || isIP(host) > 0 || host.startsWith('[') ? undefined : host
}
