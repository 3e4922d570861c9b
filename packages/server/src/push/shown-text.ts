const tag = /<(\/?)([a-z0-9]+)([^>]*)>/g
const entity = /&(lt|gt|quot|#39|nbsp|amp);/g
const characters = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['#39', "'"],
  ['nbsp', ' '],
  ['amp', '&'],
])
const spoiler = 'class="spoiler-content"'

/** The words of a rendered message in one line, without what its author hid. */
export function shownText(html: string): string {
  let shown = ''
  let end = 0
  let hidden = 0 // how many open `div`s are inside a spoiler, with its own
  for (const { 0: source, 1: closing, 2: name, 3: attributes, index } of html.matchAll(tag)) {
    if (hidden === 0) shown += `${html.slice(end, index)}${name === 'span' || name === 'a' ? '' : ' '}`
    end = index + source.length
    if (name === 'div' && (hidden > 0 || attributes!.includes(spoiler))) hidden += closing ? -1 : 1
  }
  return `${shown}${html.slice(end)}`
    .replace(entity, (_, name: string) => characters.get(name)!)
    .replace(/\s+/g, ' ')
    .trim()
}
