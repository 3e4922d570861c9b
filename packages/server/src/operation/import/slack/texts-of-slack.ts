import { slackMessage } from '@parley/integrations/slack/message'
import { type Fields, textOf } from '../fields.ts'
import type { Names } from '../source.ts'

/** Stand around ids until it is known what things are called here. Characters for private use, which texts lose before. */
const [open, close] = ['\uE000', '\uE001']

const names = {
  user: (id: string) => `${open}@${id}${close}`,
  channel: (id: string) => `${open}#${id}${close}`,
}

/** Our markup of a message, with the ids of people and channels. */
export function markupOf(message: Fields): string {
  const plain = JSON.parse(JSON.stringify(message).replace(/[\uE000\uE001]/g, '')) as Fields
  return textOf(slackMessage(plain, names).text)
}

/** Mentions are silent, so that nobody is notified of the past. */
export function withNames(text: string, known: Names): string {
  return text.replace(/\uE000([@#])([^\uE001]{0,100})\uE001/g, (_, sign: string, id: string) =>
    sign === '@' ? (known.user(id) ?? `@${id}`) : (known.channel(id) ?? `#${id}`),
  )
}

/** Titles of threads have no markup; people are called by their names. */
export function withoutIds(text: string, nameOf: (id: string) => string): string {
  return text.replace(/\uE000([@#])([^\uE001]{0,100})\uE001/g, (_, sign: string, id: string) => `${sign}${nameOf(id)}`)
}
