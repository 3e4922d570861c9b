/** Clients operated by a human: messages sent with them count as read by their sender. */
const interactive = new Set([
  'website',
  'zulipmobile',
  'zulipelectron',
  'zulipterminal',
  'zulipandroid',
  'zulipios',
  'zulipdesktop',
  'snipe',
  'ios',
  'android',
])

export function isInteractive(client: string): boolean {
  return interactive.has(client.toLowerCase())
}
