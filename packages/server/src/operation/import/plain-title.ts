const longestTitle = 52

/** The first line with text, without markup: the name of a thread, or of a pin. */
export function plainTitle(text: string): string {
  const line = text
    .slice(0, 2000)
    .split('\n')
    .map(plain)
    .find((one) => one !== '')
  const characters = [...(line ?? '')]
  return characters.length <= longestTitle ? characters.join('') : `${characters.slice(0, longestTitle - 1).join('')}…`
}

function plain(line: string): string {
  return line
    .replace(/^\/me /, '')
    .replace(/!?\[([^\]]{0,500})\]\([^)]{0,1000}\)/g, '$1')
    .replace(/^[\s>#*+-]+/, '')
    .replace(/\*{1,3}|~~|`{1,3}/g, '')
    .replace(/(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}])/gu, '')
    .replace(/[\p{Control}\p{Surrogate}\p{Noncharacter_Code_Point}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
