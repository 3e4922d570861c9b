import { memo, useLayoutEffect, useRef } from 'react'
import { glyphOf } from '../platform/emoji.ts'
import { t } from '../platform/i18n.ts'
import { exactTime } from '../platform/times.ts'
import { sanitize } from './sanitize.ts'

/** The content of a message. `viewerId` marks mentions of the viewer. */
export const Rendered = memo(function Rendered({ html, viewerId }: { html: string; viewerId?: number }) {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const content = sanitize(html)
    finish(content, viewerId)
    element.current!.replaceChildren(content)
  }, [html, viewerId])
  return <div ref={element} className="text" dir="auto" />
})

function finish(content: DocumentFragment, viewerId: number | undefined): void {
  for (const mention of content.querySelectorAll<HTMLElement>('.user-mention[data-user-id]')) {
    mention.classList.add('at')
    if (mention.dataset.userId === String(viewerId) || mention.dataset.userId === '*') mention.classList.add('mine')
  }
  for (const emoji of content.querySelectorAll('span.emoji')) {
    const code = /\bemoji-([0-9a-f-]+)/.exec(emoji.className)?.[1]
    if (!code) continue
    emoji.setAttribute('title', emoji.textContent)
    emoji.textContent = glyphOf(code)
  }
  for (const time of content.querySelectorAll('time[datetime]')) {
    const seconds = Date.parse(time.getAttribute('datetime')!) / 1000
    if (!Number.isNaN(seconds)) time.textContent = exactTime(seconds)
  }
  for (const image of content.querySelectorAll<HTMLImageElement>('img[data-original-dimensions]')) keepHeight(image)
  for (const pre of content.querySelectorAll('pre')) {
    pre.tabIndex = 0
    pre.dir = 'ltr'
  }
  for (const spoiler of content.querySelectorAll<HTMLElement>('.spoiler-block')) makeSpoiler(spoiler)
}

/** Reserves the height of an image before it loads, so that nothing moves. */
function keepHeight(image: HTMLImageElement): void {
  const [width, height] = image.dataset.originalDimensions!.split('x').map(Number)
  if (!width || !height) return
  const scale = Math.min(1, 420 / width, 300 / height)
  image.width = Math.round(width * scale)
  image.height = Math.round(height * scale)
}

function makeSpoiler(block: HTMLElement): void {
  const header = block.querySelector<HTMLElement>('.spoiler-header')
  const content = block.querySelector<HTMLElement>('.spoiler-content')
  if (!header || !content) return
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'btn outline'
  button.setAttribute('aria-expanded', 'false')
  button.textContent = t('rendered.show')
  content.hidden = true
  content.removeAttribute('aria-hidden')
  button.addEventListener('click', () => {
    content.hidden = !content.hidden
    button.setAttribute('aria-expanded', String(!content.hidden))
    button.textContent = content.hidden ? t('rendered.show') : t('rendered.hide')
  })
  header.append(button)
}
