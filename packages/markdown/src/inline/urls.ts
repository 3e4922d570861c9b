// Allowed URL schemes. Others could start a program or run a script.
const schemes = new Set(
  (
    'http https ftp mid mailto tel sms smsto sip xmpp irc ircs im matrix magnet bitcoin geo news nntp mms ' +
    'openpgp4fpr ssh urn webcal wtai hansoft obsidian zotero asanadesktop'
  ).split(' '),
)

/** The URL in a form that is safe in an `href`, or undefined if it must not become a link. */
export function safeUrl(typed: string): string | undefined {
  // Browsers drop these characters, which could otherwise hide a scheme.
  const url = typed
    .replace(/\p{Cc}/gu, '')
    .trim()
    .replaceAll(' ', '%20')
    // An empty query or fragment is removed.
    .replace(/(?<=.)\??#?$/, '')
  if (url === '') return undefined
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(url)?.[1]
  if (scheme === undefined) return withoutScheme(url)
  return schemes.has(scheme.toLowerCase()) ? scheme.toLowerCase() + url.slice(scheme.length) : undefined
}

/** Whether a URL has a scheme that is allowed in an `href`. */
export function hasSafeScheme(url: string): boolean {
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(url)?.[1]
  return scheme !== undefined && schemes.has(scheme.toLowerCase())
}

/** Links into the realm become relative, so that they open in the same window under every host name. */
export function relativeToRealm(url: string, realmUrl: string | undefined): string {
  if (realmUrl === undefined) return url
  const inRealm = url.startsWith(`${realmUrl}/#`) || url.startsWith(`${realmUrl}/user_uploads/`)
  return inRealm ? url.slice(realmUrl.length + 1) : url
}

const downloads = 'download/'

/** The path_id of the uploaded file that a link leads to, also if the link downloads it. */
export function linkedUpload(url: string, realmUrl: string | undefined): string | undefined {
  return withoutDownload(uploadPath(url, realmUrl))
}

/** `/user_uploads/download/{path_id}` is the same file as `/user_uploads/{path_id}`. */
export function withoutDownload<T extends string | undefined>(path: T): T {
  return (path?.startsWith(downloads) ? path.slice(downloads.length) : path) as T
}

/** The path_id of the uploaded file that the URL points to. */
export function uploadPath(url: string, realmUrl: string | undefined): string | undefined {
  const prefix = realmUrl && url.startsWith(`${realmUrl}/`) ? `${realmUrl}/` : url.startsWith('/') ? '/' : ''
  const path = url.slice(prefix.length).replace(/[?#].*$/s, '')
  return path.startsWith('user_uploads/') && !path.startsWith('user_uploads/thumbnail/')
    ? decodedPath(path.slice('user_uploads/'.length))
    : undefined
}

/** Links copied from a browser are encoded. The path of a file contains no percent sign, so decoding changes no other. */
export function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path).replaceAll('\0', '')
  } catch {
    return path
  }
}

function withoutScheme(url: string): string {
  if (url.startsWith('//')) return `http:${url}`
  if (url.startsWith('/') || /^#./.test(url)) return url
  const path = url.replace(/[?#].*$/s, '')
  return path.includes('@') ? `mailto:${url}` : `http://${url}`
}
