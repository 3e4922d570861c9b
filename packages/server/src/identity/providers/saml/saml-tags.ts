/** The start of an element, as it is written. */
export interface Tag {
  /** Without its prefix. */
  name: string
  attributes: Map<string, string>
}

/** Answers have some forty, and one for each group of the person. The library takes a time that grows with their square. */
const mostElements = 500
const mostAttributes = 2000
const longestValue = 4000
/** An assertion with a signature has some eight levels. */
const deepest = 30

const declaration = /^<\?xml\s[^?<>]*\?>/
const nameOf = /[\p{L}_][\p{L}\p{M}\p{N}._-]*(?::[\p{L}_][\p{L}\p{M}\p{N}._-]*)?/uy
const attribute = /\s+([^\s=<>"'/]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y
const end = /\s*(\/?)>/y
const endTag = /<\/([^\s<>/]+)\s*>/y
/** Others need a document type. The parser stops at each of them to make an error. */
const unknownEntity = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});)/

/**
 * The elements of a message in their order. Reads every character once and throws for what messages never need and attacks do:
 * comments, document types, CDATA, instructions, more or deeper elements than any message has, and what is no XML: the parser
 * behind it takes long to put broken elements right.
 */
export function readTags(xml: string): Tag[] {
  if (unknownEntity.test(xml)) throw new Error('the message is no XML')
  const tags: Tag[] = []
  const open: string[] = []
  let attributes = 0
  let position = xml.indexOf('<', declaration.exec(xml)?.[0].length)
  while (position !== -1) {
    if (xml[position + 1] === '/') {
      if (match(endTag, xml, position)?.[1] !== open.pop()) throw new Error('the message is no XML')
    } else {
      const { fullName, isEmpty, ...tag } = readTag(xml, position)
      tags.push(tag)
      attributes += tag.attributes.size
      if (!isEmpty) open.push(fullName)
      if (tags.length > mostElements || attributes > mostAttributes || open.length > deepest)
        throw new Error('the message has more elements than any real one')
    }
    position = xml.indexOf('<', position + 1)
  }
  if (open.length > 0) throw new Error('the message is no XML')
  return tags
}

/** The values of attributes contain no `<`, so that the next one after a tag begins another tag. */
function readTag(xml: string, start: number): Tag & { fullName: string; isEmpty: boolean } {
  const name = match(nameOf, xml, start + 1)
  if (!name) throw new Error('the message has a comment, document type or instruction, or is no XML')
  const attributes = new Map<string, string>()
  let position = nameOf.lastIndex
  for (let found = match(attribute, xml, position); found; found = match(attribute, xml, position)) {
    const [, key = '', double, single = ''] = found
    const value = double ?? single
    if (attributes.has(key) || value.length > longestValue)
      throw new Error('an element has the same attribute twice, or a value longer than any real one')
    attributes.set(key, value)
    position = attribute.lastIndex
  }
  const ended = match(end, xml, position)
  if (!ended) throw new Error('the message is no XML')
  return { name: withoutPrefix(name[0]), attributes, fullName: name[0], isEmpty: ended[1] === '/' }
}

function match(expression: RegExp, text: string, position: number): RegExpExecArray | null {
  expression.lastIndex = position
  return expression.exec(text)
}

export function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
