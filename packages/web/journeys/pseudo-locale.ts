import { parseMessage } from '../message-format.ts'
import type { Message, Part } from '../src/platform/i18n.ts'
import { readEnglish, splitIds } from '../texts.ts'

const plain = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const marked = 'áƀćðéƒǵĥíĵķļɱñőƥɋŕšţúṽŵẋýžÁƁĆÐÉƑǴĤÍĴĶĻṀÑŐƤɊŔŠŢÚṼŴẊÝŽ'
const marks = new Map([...plain].map((letter, index) => [letter, [...marked][index]!]))

/** Readable, but different from English in every letter. */
export const accented = new RegExp(`[${marked}]`, 'u')

function accent(text: string): string {
  return [...text].map((letter) => marks.get(letter) ?? letter).join('')
}

function accentAll(parts: readonly Part[]): Part[] {
  return parts.map((part): Part => {
    if (typeof part === 'string') return accent(part)
    if (part[0] === 4) return [4, part[1], accentAll(part[2])]
    if (part[0] !== 2 && part[0] !== 3) return part
    const choices = Object.entries(part[2]).map(([key, choice]) => [key, accentAll(choice)])
    return [part[0], part[1], Object.fromEntries(choices)]
  })
}

/** Accented, in brackets that show where a text ends, and 40 % longer, as texts of other languages are. */
export function pseudo(source: string): Message {
  const length = source.replace(/\{.*\}/g, '').length
  const padding = ' ~'.repeat(Math.ceil(length / 5))
  const message = parseMessage(source)
  const parts = accentAll(typeof message === 'string' ? [message] : message)
  const all = ['⟦', ...parts, `${padding}⟧`]
  return all.every((part) => typeof part === 'string') ? all.join('') : all
}

/** The scripts that take the place of the English texts in the browser: those of the first screen, and all others. */
export function pseudoScripts(locale: string): { first: string; more: string } {
  const english = readEnglish()
  const { first, more } = splitIds()
  const pseudoOf = (ids: string[]) => ids.map((id) => pseudo(english[id]!))
  return {
    first: `export default ${JSON.stringify({ locale, messages: pseudoOf(first) })}`,
    more: `export default ${JSON.stringify(pseudoOf(more))}`,
  }
}
