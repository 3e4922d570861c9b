/** Clients in front of which somebody sits: what they send, its author has read. */
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
