/** The first available language among the wanted ones, also in another regional variant. */
export function findLanguage(wanted: readonly string[], available: readonly string[]): string | undefined {
  for (const tag of wanted) {
    const found =
      available.find((one) => one.toLowerCase() === tag.toLowerCase()) ??
      available.find((one) => baseOf(one) === baseOf(tag))
    if (found) return found
  }
  return undefined
}

/** The same, or else English. */
export function matchLanguage(wanted: readonly string[], available: readonly string[]): string {
  return findLanguage(wanted, available) ?? 'en'
}

function baseOf(tag: string): string {
  return tag.split('-')[0]!.toLowerCase()
}

const rightToLeft = new Set(['ar', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'])

export function directionOf(language: string): 'ltr' | 'rtl' {
  return rightToLeft.has(baseOf(language)) ? 'rtl' : 'ltr'
}
