/** What another app shared with the installed client (`share_target` of the manifest). It leaves the URL, so that reloading repeats nothing. */
export function takeSharedText(): string {
  const { pathname, hash, search } = window.location
  const params = new URLSearchParams(search)
  const parts = ['title', 'text', 'url'].map((name) => params.get(`shared-${name}`) ?? '').filter((part) => part !== '')
  if (parts.length > 0) window.history.replaceState(window.history.state, '', pathname + hash)
  return [...new Set(parts)].join('\n')
}
