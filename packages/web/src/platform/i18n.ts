import { lookup } from '@parley/api/lookup'
import { createElement, Fragment, type ReactNode } from 'react'
import type { TextValues } from '../texts/texts.generated.ts'

/** As the build compiles them: plain text, or text between values. */
export type Message = string | readonly Part[]
export type Part =
  | string
  | [kind: 0, name: string]
  | [kind: 1, count: string]
  | [kind: 2, count: string, plural: Record<string, Part[]>]
  | [kind: 3, choice: string, options: Record<string, Part[]>]
  | [kind: 4, tag: string, content: Part[]]

/** The texts of one language. */
export interface Texts {
  locale: string
  messages: Record<string, Message>
}

/** Ids of texts without values. */
export type PlainId = { [Id in keyof TextValues]: TextValues[Id] extends null ? Id : never }[keyof TextValues]
export type TextId = keyof TextValues

type Value = 'text' | 'number' | 'tag'
interface ValueTypes {
  text: string
  number: number
  tag: never
}
interface RichTypes {
  text: ReactNode
  number: number
  tag: (content: ReactNode) => ReactNode
}
type ValuesOf<Id extends TextId, Types extends Record<Value, unknown>> = [TextValues[Id]] extends [null]
  ? []
  : [values: { [Name in keyof TextValues[Id]]: Types[TextValues[Id][Name] & Value] }]

/** Until the first language is loaded, none. */
let texts: Texts = { locale: '', messages: {} }
let formats = formatsOf('en')
const listeners = new Set<() => void>()

/** How numbers, lists and choices are written: in the language of the texts, with the viewer's region if it has one. */
function formatsOf(language: string) {
  const base = (tag: string) => tag.split('-')[0]
  const locale = navigator.languages.find((tag) => base(tag) === base(language)) ?? language
  return {
    locale,
    number: new Intl.NumberFormat(locale),
    plural: new Intl.PluralRules(language),
    list: new Intl.ListFormat(language, { type: 'conjunction' }),
  }
}

/** Shows everything in another language. */
export function setTexts(next: Texts, more: readonly Message[] = []): void {
  texts = next
  addTexts(more)
  formats = formatsOf(next.locale)
  for (const listener of listeners) listener()
}

/** Adds texts that no part on the screen needs yet. */
export function addTexts(more: readonly Message[]): void {
  const { locale, messages } = texts
  if (more.length > 0) texts = { locale, messages: Object.fromEntries([...Object.values(messages), ...more].entries()) }
}

export function onTextsChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The language of the texts. */
export const language = () => texts.locale
/** For dates. */
export const dateLocale = () => formats.locale
export const number = (count: number) => formats.number.format(count)
/** "A, B and C". */
export const list = (names: Iterable<string>) => formats.list.format(names)

/** The text of an id. Its values must be those of the English text. */
export function t<Id extends TextId>(id: Id, ...[values]: ValuesOf<Id, ValueTypes>): string {
  return partsOf(id, values).join('')
}

/** Like `t`, with elements as values, and a function for each tag: `{ b: (text) => <b>{text}</b> }`. */
export function rich<Id extends TextId>(id: Id, ...[values]: ValuesOf<Id, RichTypes>): ReactNode {
  return createElement(Fragment, null, ...partsOf(id, values))
}

type AnyValues = Record<string, unknown>

function partsOf(id: string, values: AnyValues = {}): ReactNode[] {
  const message = lookup(texts.messages, id) ?? id
  return typeof message === 'string' ? [message] : message.flatMap((part) => render(part, values))
}

function render(part: Part, values: AnyValues): ReactNode[] {
  if (typeof part === 'string') return [part]
  const [kind, name, inner] = part
  const value = lookup(values, name)
  const renderAll = (parts: Part[]) => parts.flatMap((one) => render(one, values))
  if (kind === 0) return [value as ReactNode]
  if (kind === 1) return [number(value as number)]
  if (kind === 2)
    return renderAll(
      lookup(inner, `=${value}`) ?? lookup(inner, formats.plural.select(value as number)) ?? inner.other!,
    )
  if (kind === 3) return renderAll(lookup(inner, String(value)) ?? inner.other!)
  const content = createElement(Fragment, null, ...renderAll(inner))
  return [(value as (content: ReactNode) => ReactNode)(content)]
}
