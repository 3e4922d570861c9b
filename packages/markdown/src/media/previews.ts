import { attributes } from '../html.ts'
import type { Link } from '../inline/inline.ts'
import type { Message } from '../message.ts'
import type { Block } from '../tree.ts'
import { type Media, mediaOf } from './media.ts'
import { pagePreview } from './page-previews.ts'

/** A link outside quotes, and the block that its preview is added to. */
export interface LinkUse {
  link: Link
  owner: Block
  /** Whether the owner contains nothing else. */
  alone: boolean
}

const maxLinks = 24

/** Adds a preview for each linked image, video and known page. Page previews go to the end of the message. */
export function addPreviews(uses: LinkUse[], root: Block, message: Message): void {
  if (message.context.previews === false || uses.length === 0) return
  const first = new Map<string, LinkUse>()
  for (const use of uses) if (!first.has(use.link.url)) first.set(use.link.url, use)
  if (first.size > maxLinks) return
  for (const use of first.values()) {
    const media = mediaOf(use.link.url, message.context)
    if (media) addMedia(media, use, message)
    if (media?.kind !== 'image' && media?.kind !== 'video') root.previews += pagePreview(use.link.url, message)
  }
}

function addMedia(media: Media, { link, owner, alone }: LinkUse, message: Message): void {
  owner.previews += previewHtml(media, link, message)
  if (media.kind !== 'video') message.hasImage = true
  if (!alone || media.kind === 'youtube' || link.text !== link.url) return
  if (owner.tag === 'p') owner.dropped = true
  else if (owner.tag === 'li') owner.textHtml = ''
}

function previewHtml(media: Media, link: Link, message: Message): string {
  const title = link.text === link.url || media.kind === 'youtube' ? undefined : link.text
  const anchor = attributes({ 'data-id': media.id, href: media.href ?? link.url, title })
  return `<div class="${media.className}"><a${anchor}>${mediaHtml(media, message)}</a></div>`
}

function mediaHtml(media: Media, message: Message): string {
  const src = message.mediaSource(media.src)
  if (media.kind === 'video') return `<video${attributes({ preload: 'metadata', src })}></video>`
  return `<img${attributes({ ...media.data, src })}>`
}
