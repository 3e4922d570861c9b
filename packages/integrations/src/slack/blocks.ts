import { escapeText, linkTo, oneLine } from '../markup.ts'
import { listOf, lookup, textOf, valueAt } from '../paths.ts'
import { richText } from './rich-text.ts'
import { type SlackNames, slackToMarkup } from './to-markup.ts'

export interface Converted {
  text: string
  /** Kinds of blocks that we do not know. */
  unknown: string[]
}

type Convert = (block: unknown, names: SlackNames) => string

const kinds: Record<string, Convert> = {
  section: (block, names) =>
    lines(
      textObject(valueAt(block, 'text'), names),
      fieldLines(listOf(valueAt(block, 'fields')), names),
      element(valueAt(block, 'accessory'), names),
    ),
  header: (block) => strong(textOf(valueAt(block, 'text.text'))),
  context: (block, names) => elements(block, names, ' '),
  actions: (block, names) => elements(block, names, ' · '),
  divider: () => '---',
  image: (block) => image(block),
  video: (block) =>
    lines(
      linkTo(textOf(valueAt(block, 'title.text')), textOf(valueAt(block, 'title_url') ?? valueAt(block, 'video_url'))),
      escapeText(textOf(valueAt(block, 'description.text'))),
    ),
  input: (block, names) =>
    lines(strong(textOf(valueAt(block, 'label.text'))), textObject(valueAt(block, 'hint'), names)),
  markdown: (block) => textOf(valueAt(block, 'text')),
  file: (block) => escapeText(textOf(valueAt(block, 'external_id'))),
  rich_text: richText,
  table: (block, names) => table(block, names),
}

export function convertBlocks(blocks: unknown, names: SlackNames = {}): Converted {
  const unknown: string[] = []
  const texts = listOf(blocks).map((block) => {
    const type = textOf(valueAt(block, 'type'))
    const convert = lookup(kinds, type)
    if (convert) return convert(block, names)
    unknown.push(type || 'without a type')
    return textObject(valueAt(block, 'text'), names)
  })
  return { text: texts.filter((text) => text !== '').join('\n\n'), unknown }
}

export function lines(...texts: string[]): string {
  return texts
    .filter((text) => text.trim() !== '')
    .join('\n')
    .trim()
}

export function strong(text: string): string {
  const line = oneLine(text)
  return line === '' ? '' : `**${escapeText(line)}**`
}

/** A text object, or bare text, which counts as mrkdwn. */
function textObject(value: unknown, names: SlackNames): string {
  if (typeof value === 'string') return slackToMarkup(value, names)
  const text = textOf(valueAt(value, 'text'))
  return valueAt(value, 'type') === 'plain_text' ? escapeText(text) : slackToMarkup(text, names)
}

function fieldLines(fields: unknown[], names: SlackNames): string {
  return listLines(fields.map((field) => textObject(field, names)))
}

/** A list ends with an empty line, or what follows would belong to its last item. */
export function listLines(items: string[]): string {
  return items.map((item) => `* ${item.replaceAll('\n', ' ')}\n`).join('')
}

function elements(block: unknown, names: SlackNames, between: string): string {
  return listOf(valueAt(block, 'elements'))
    .map((one) => element(one, names))
    .filter((text) => text !== '')
    .join(between)
}

/** Buttons that lead somewhere become links; of all other elements the text stays. */
function element(one: unknown, names: SlackNames): string {
  const type = valueAt(one, 'type')
  if (type === 'image') return image(one)
  if (type === 'mrkdwn' || type === 'plain_text') return textObject(one, names)
  const label = textOf(valueAt(one, 'text.text') ?? valueAt(one, 'placeholder.text'))
  const url = textOf(valueAt(one, 'url'))
  const choices = listOf(valueAt(one, 'options')).map((option) => textObject(valueAt(option, 'text'), names))
  return [url === '' ? escapeText(label) : linkTo(label, url), ...choices].filter((text) => text !== '').join(' · ')
}

function image(block: unknown): string {
  const label = textOf(valueAt(block, 'title.text') ?? valueAt(block, 'alt_text'))
  return linkTo(label || 'image', textOf(valueAt(block, 'image_url') ?? valueAt(block, 'slack_file.url')))
}

function table(block: unknown, names: SlackNames): string {
  const rows = listOf(valueAt(block, 'rows')).map((row) =>
    listOf(row).map((cell) => oneLine(cellText(cell, names)).replaceAll('|', '&#124;')),
  )
  const [head, ...others] = rows
  if (!head) return ''
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...others.map(line)].join('\n')
}

function cellText(cell: unknown, names: SlackNames): string {
  if (valueAt(cell, 'type') === 'rich_text') return richText(cell, names)
  return escapeText(textOf(valueAt(cell, 'text')))
}
