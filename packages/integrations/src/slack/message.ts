import { linkTo } from '../markup.ts'
import { listOf, textOf, valueAt } from '../paths.ts'
import { convertBlocks, lines, listLines, strong } from './blocks.ts'
import { type SlackNames, slackToMarkup } from './to-markup.ts'

export interface SlackMessage {
  text: string
  /** What was left out or simplified, for the log. */
  note: string | undefined
}

/** A message in Slack's format: `text`, `blocks` and `attachments`. If there are blocks, `text` is only their fallback. */
export function slackMessage(payload: unknown, names: SlackNames = {}): SlackMessage {
  const blocks = convertBlocks(valueAt(payload, 'blocks'), names)
  const text = textOf(valueAt(payload, 'text'))
  const attachments = listOf(valueAt(payload, 'attachments')).map((one) => attachment(one, names))
  const parts = [blocks.text || slackToMarkup(text, names), ...attachments.map((one) => one.text)]
  const unknown = [...blocks.unknown, ...attachments.flatMap((one) => one.unknown)]
  return {
    text: parts
      .filter((part) => part.trim() !== '')
      .join('\n\n')
      .trim(),
    note: unknown.length > 0 ? `Unknown kinds of blocks: ${[...new Set(unknown)].join(', ')}.` : undefined,
  }
}

function attachment(one: unknown, names: SlackNames): { text: string; unknown: string[] } {
  const get = (name: string) => textOf(valueAt(one, name))
  const blocks = convertBlocks(valueAt(one, 'blocks'), names)
  const title = get('title_link') === '' ? strong(get('title')) : `**${linkTo(get('title'), get('title_link'))}**`
  const content = lines(
    slackToMarkup(get('pretext'), names),
    slackToMarkup(get('author_name'), names),
    title,
    slackToMarkup(get('text'), names),
    fields(listOf(valueAt(one, 'fields')), names),
    get('image_url') === '' ? '' : linkTo('image', get('image_url')),
    buttons(listOf(valueAt(one, 'actions'))),
    footer(one, names),
  )
  const all = lines(content, blocks.text)
  return { text: all === '' ? slackToMarkup(get('fallback'), names) : all, unknown: blocks.unknown }
}

function fields(list: unknown[], names: SlackNames): string {
  const items = list.map((field) => {
    const title = strong(textOf(valueAt(field, 'title')))
    return `${title}${title === '' ? '' : ': '}${slackToMarkup(textOf(valueAt(field, 'value')), names)}`
  })
  return listLines(items)
}

function buttons(actions: unknown[]): string {
  return actions.map((action) => linkTo(textOf(valueAt(action, 'text')), textOf(valueAt(action, 'url')))).join(' · ')
}

function footer(one: unknown, names: SlackNames): string {
  const seconds = Number(valueAt(one, 'ts'))
  const time = seconds > 0 && seconds < 1e11 ? `<time:${new Date(seconds * 1000).toISOString()}>` : ''
  return [slackToMarkup(textOf(valueAt(one, 'footer')), names), time].filter((part) => part !== '').join(' · ')
}
