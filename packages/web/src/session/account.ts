const pattern = /(?:^|;\s*)(?:__Host-)?parley-account=(\d+)(?:;|$)/

/** The id of the signed-in user, from a cookie. Undefined on shared computers, where nothing may be stored. */
export function accountIn(cookies: string): string | undefined {
  return pattern.exec(cookies)?.[1]
}
