import { blockRules } from './blocks/block-rules.ts'
import { BlockParser } from './blocks/blocks.ts'
import { codeHtml } from './blocks/highlight.ts'
import type { RenderContext } from './context.ts'
import { Inline } from './inline/inline.ts'
import { inlineRules } from './inline/inline-rules.ts'
import { addPreviews, type LinkUse } from './media/previews.ts'
import { Message } from './message.ts'
import { normalize } from './normalize.ts'
import { documentHtml } from './serialize.ts'
import { type Block, block } from './tree.ts'

/** A message as HTML, and what rendering found in it. */
export interface Rendered {
  html: string
  mentionedUserIds: number[]
  mentionedGroupIds: number[]
  channelWildcard: boolean
  topicWildcard: boolean
  hasLink: boolean
  hasImage: boolean
  /** path_ids of linked uploaded files. */
  uploads: string[]
  /** Links to web pages for which a preview can be fetched. */
  previewUrls: string[]
}

/** Renders the text of a message. For any input, the HTML contains only tags that the renderer creates. */
export function render(content: string, context: RenderContext = {}): Rendered {
  const message = new Message(context)
  const root = block('root')
  new BlockParser(blockRules, context.mayDecorate).parseDocument(normalize(content), root, context.defaultCodeLanguage)
  const uses: LinkUse[] = []
  renderTexts(root, { root, message, uses, quoted: false })
  addPreviews(uses, root, message)
  return {
    html: documentHtml(root),
    mentionedUserIds: [...message.mentionedUserIds],
    mentionedGroupIds: [...message.mentionedGroupIds],
    channelWildcard: message.channelWildcard,
    topicWildcard: message.topicWildcard,
    hasLink: message.hasLink,
    hasImage: message.hasImage,
    uploads: [...message.uploads],
    previewUrls: [...message.previewUrls],
  }
}

interface Walk {
  root: Block
  message: Message
  uses: LinkUse[]
  quoted: boolean
}

/** Renders the inline markup of all texts, in the order of the message. */
function renderTexts(parent: Block, walk: Walk): void {
  if (parent.tag === 'code') {
    parent.raw = codeHtml(parent.text, '', walk.message.context.mayDecorate?.())
    return
  }
  if (parent.text) parent.textHtml = renderText(parent.text, parent, walk)
  const inside = parent.tag === 'blockquote' ? { ...walk, quoted: true } : walk
  for (const child of parent.children) {
    renderTexts(child, inside)
    if (child.tail) child.tailHtml = renderText(child.tail, parent, inside)
  }
}

function renderText(text: string, owner: Block, walk: Walk): string {
  const inline = new Inline(inlineRules, walk.message, walk.quoted)
  const read = inline.read(text)
  if (!walk.quoted && inline.hasLinks) collectLinks(inline, read, owner, walk)
  return inline.html(read)
}

/** Previews of links inside other markup, or in headings and tables, go to the end of the message. */
function collectLinks(inline: Inline, read: string, owner: Block, { root, uses }: Walk): void {
  const { direct, enclosed } = inline.linksIn(read)
  const takesPreviews = owner.tag === 'p' || owner.tag === 'li'
  const only = takesPreviews ? inline.onlyLink(read) : undefined
  for (const link of direct) uses.push({ link, owner: takesPreviews ? owner : root, alone: link === only })
  for (const link of enclosed) uses.push({ link, owner: root, alone: false })
}
