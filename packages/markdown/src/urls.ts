// What may stand in an address. Anything else could start a program or run a script.
const schemes = new Set(
  (
    'http https ftp mid mailto tel sms smsto sip xmpp irc ircs im matrix magnet bitcoin geo news nntp mms ' +
    'openpgp4fpr ssh urn webcal wtai hansoft obsidian zotero asanadesktop'
  ).split(' '),
)

/** The address as it may go into an `href`, or undefined if it must not become a link. */
export function safeUrl(typed: string): string | undefined {
  // Browsers drop these characters, which could otherwise hide a scheme.
  const url = typed
    .replace(/\p{Cc}/gu, '')
    .trim()
    .replaceAll(' ', '%20')
    // A query or fragment without content is none.
    .replace(/(?<=.)\??#?$/, '')
  if (url === '') return undefined
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(url)?.[1]
  if (scheme === undefined) return withoutScheme(url)
  return schemes.has(scheme.toLowerCase()) ? scheme.toLowerCase() + url.slice(scheme.length) : undefined
}

/** Whether an address begins with a scheme that may stand in an `href`. */
export function hasSafeScheme(url: string): boolean {
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(url)?.[1]
  return scheme !== undefined && schemes.has(scheme.toLowerCase())
}

/** Links into the realm lose its host, so that they open in the same window whatever host the reader uses. */
export function relativeToRealm(url: string, realmUrl: string | undefined): string {
  if (realmUrl === undefined) return url
  const inRealm = url.startsWith(`${realmUrl}/#`) || url.startsWith(`${realmUrl}/user_uploads/`)
  return inRealm ? url.slice(realmUrl.length + 1) : url
}

/** The path_id of an uploaded file that the address points at. */
export function uploadPath(url: string, realmUrl: string | undefined): string | undefined {
  const prefix = realmUrl && url.startsWith(`${realmUrl}/`) ? `${realmUrl}/` : url.startsWith('/') ? '/' : ''
  const path = url.slice(prefix.length).replace(/[?#].*$/s, '')
  return path.startsWith('user_uploads/') && !path.startsWith('user_uploads/thumbnail/')
    ? path.slice('user_uploads/'.length)
    : undefined
}

function withoutScheme(url: string): string {
  if (url.startsWith('//')) return `http:${url}`
  if (url.startsWith('/') || /^#./.test(url)) return url
  const path = url.replace(/[?#].*$/s, '')
  return path.includes('@') ? `mailto:${url}` : `http://${url}`
}
