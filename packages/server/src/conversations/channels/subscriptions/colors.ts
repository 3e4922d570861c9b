const presets = (
  '76ce90 fae589 a6c7e5 e79ab5 bfd56f f4ae55 b0a5fd addfe5 f5ce6e c2726a 94c849 bd86e5 ' +
  'ee7e4a a6dcbf 95a5fd 53a063 9987e1 e4523d c2c2c2 4f8de4 c6a8ad e7cc4d c8bebf a47462'
)
  .split(' ')
  .map((hex) => `#${hex}`)

/** A color for a new subscription: an unused preset if there is one left. */
export function pickColor(used: Set<string>, recipientId: number): string {
  const color = presets.find((preset) => !used.has(preset)) ?? presetOf(recipientId)
  used.add(color)
  return color
}

/** The same for everybody: for many subscriptions at once. */
export function presetOf(recipientId: number): string {
  return presets[recipientId % presets.length]!
}

/** Expands `#abc`, because some clients only parse the long form. */
export function fullColor(color: string): string {
  return (color.length === 4 ? color.replace(/[0-9a-f]/gi, '$&$&') : color).toLowerCase()
}
