const ascii = /^\p{ASCII}*$/u

/** Normalized form for comparing names: ignores case and compatibility forms of a letter. */
export function foldCase(text: string): string {
  return (ascii.test(text) ? text : text.normalize('NFKC')).toLowerCase()
}

/** Control characters, surrogates and the 66 noncharacters: never allowed in a name. */
const unprintable = /[\p{Control}\p{Surrogate}\p{Noncharacter_Code_Point}]/u

export function isPrintable(text: string): boolean {
  return !unprintable.test(text)
}

/** Length as users count: code points, not UTF-16 units. */
export function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

export function firstCharacters(text: string, count: number): string {
  // A character has at most two UTF-16 units, so the rest of a long text need not be split.
  return [...text.slice(0, 2 * count)].slice(0, count).join('')
}

export function unixSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}
