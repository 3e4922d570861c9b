import { codeBlock, codeSpan, escapeText, linkTo, quoteBlock } from '../markup.ts'
import { listOf, textOf, valueAt } from '../paths.ts'
import type { SlackNames } from './to-markup.ts'

/** A block of the kind `rich_text`: what Slack's own editor produces. */
export function richText(block: unknown, names: SlackNames): string {
  return listOf(valueAt(block, 'elements'))
    .map((element) => richElement(element, names))
    .join('\n')
    .trim()
}

function richElement(element: unknown, names: SlackNames): string {
  const content = () => inline(element, names)
  switch (valueAt(element, 'type')) {
    case 'rich_text_preformatted':
      return codeBlock(plainText(element))
    case 'rich_text_quote':
      return quoteBlock(content())
    case 'rich_text_list':
      return list(element, names)
    default:
      return content()
  }
}

const deepestList = 8

function list(element: unknown, names: SlackNames): string {
  const depth = Math.min(Math.max(Number(valueAt(element, 'indent')) || 0, 0), deepestList)
  const first = Number(valueAt(element, 'offset')) || 0
  const isOrdered = valueAt(element, 'style') === 'ordered'
  const mark = (index: number) => (isOrdered ? `${first + index + 1}.` : '*')
  return listOf(valueAt(element, 'elements'))
    .map((item, index) => `${'  '.repeat(depth)}${mark(index)} ${inline(item, names)}`)
    .join('\n')
}

function plainText(element: unknown): string {
  return listOf(valueAt(element, 'elements'))
    .map((one) => textOf(valueAt(one, 'text') ?? valueAt(one, 'url')))
    .join('')
}

function inline(element: unknown, names: SlackNames): string {
  return listOf(valueAt(element, 'elements'))
    .map((one) => styled(one, written(one, names)))
    .join('')
}

function written(one: unknown, names: SlackNames): string {
  const get = (name: string) => textOf(valueAt(one, name))
  switch (valueAt(one, 'type')) {
    case 'link':
      return linkTo(get('text') || get('url'), get('url'))
    case 'user':
      return names.user?.(get('user_id')) ?? `@${escapeText(get('user_id'))}`
    case 'channel':
      return names.channel?.(get('channel_id')) ?? `#${escapeText(get('channel_id'))}`
    case 'usergroup':
      return names.group?.(get('usergroup_id')) ?? `@${escapeText(get('usergroup_id'))}`
    case 'broadcast':
      return '@**all**'
    case 'emoji':
      return `:${escapeText(get('name'))}:`
    case 'date':
      return `<time:${new Date((Number(get('timestamp')) || 0) * 1000).toISOString()}>`
    case 'color':
      return escapeText(get('value'))
    default:
      return valueAt(one, 'style.code') === true ? get('text') : escapeText(get('text'))
  }
}

/** Emphasis encloses no spaces at its ends, or our markup would not see it. */
function styled(one: unknown, text: string): string {
  const has = (name: string) => valueAt(one, `style.${name}`) === true
  const core = text.trim()
  if (core === '') return text
  const start = text.slice(0, text.indexOf(core))
  const end = text.slice(start.length + core.length)
  const coded = has('code') ? codeSpan(core) : core
  const struck = has('strike') ? `~~${coded}~~` : coded
  const slanted = has('italic') ? `*${struck}*` : struck
  return `${start}${has('bold') ? `**${slanted}**` : slanted}${end}`
}
