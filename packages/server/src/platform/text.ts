/** Normalized form for comparing names: ignores case and compatibility forms of a letter. */
export function foldCase(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/** Control characters, surrogates and the 66 noncharacters: never allowed in a name. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the point.
const unprintable = /[\u0000-\u001f\u007f-\u009f\ud800-\udfff\ufdd0-\ufdef]|[\ufffe\uffff]/u

export function isPrintable(text: string): boolean {
  if (unprintable.test(text)) return false
  for (const char of text) if ((char.codePointAt(0)! & 0xfffe) === 0xfffe) return false
  return true
}

/** Length as users count: code points, not UTF-16 units. */
export function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

export function firstCharacters(text: string, count: number): string {
  return [...text].slice(0, count).join('')
}

export function unixSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}
