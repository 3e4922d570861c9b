import { glyphOf } from '@parley/markdown/glyph'
import { memo, type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { t } from '../platform/i18n.ts'
import { exactTime } from '../platform/times.ts'
import { finishEmoji } from './emoji.ts'
import { finishMedia } from './media.ts'
import { sanitize } from './sanitize.ts'

interface RenderedProps {
  html: string
  /** Mentions of the viewer are marked. */
  viewerId?: number
  /** Stands in the last line of the text. */
  children?: ReactNode
}

/** The content of a message. */
export const Rendered = memo(function Rendered({ html, viewerId, children }: RenderedProps) {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const content = sanitize(html)
    finish(content, viewerId)
    element.current!.replaceChildren(content)
    // Without the files for it, the text is readable as it is.
    finishEmoji(element.current!).catch(() => {})
    finishCode(element.current!).catch(() => {})
  }, [html, viewerId])
  const end = useEnd(element, html, viewerId, children !== undefined)
  return (
    <>
      <div ref={element} className="text" dir="auto" />
      {end && createPortal(children, end)}
    </>
  )
})

/** An element in the last line of the text, or below it if it does not end with a line. */
function useEnd(text: RefObject<HTMLElement | null>, html: string, viewerId: number | undefined, isWanted: boolean) {
  const [end, setEnd] = useState<HTMLElement>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: new text removes the element.
  useLayoutEffect(() => {
    if (!isWanted) return setEnd(undefined)
    const added = document.createElement('span')
    added.className = 'marks'
    added.append(' ')
    const last = text.current!.lastElementChild
    const host = last?.localName === 'p' ? last : text.current!
    host.append(added)
    setEnd(added)
    return () => added.remove()
  }, [text, html, viewerId, isWanted])
  return end
}

/** Style sheet and fonts of formulas. Until they are here, the rows keep the height of their formulas. */
function loadFormulaStyles(): Promise<unknown> {
  return import('./formula-styles.ts')
}

/** Blocks of code get their buttons, which stand above them and move nothing. */
async function finishCode(content: Element): Promise<void> {
  if (content.querySelector('.codehilite')) (await import('./copy-code.ts')).finishBlocks(content)
}

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
  finishMedia(content)
  for (const time of content.querySelectorAll('time[datetime]')) {
    const seconds = Date.parse(time.getAttribute('datetime')!) / 1000
    if (!Number.isNaN(seconds)) time.textContent = exactTime(seconds)
  }
  for (const image of content.querySelectorAll<HTMLImageElement>('img[data-original-dimensions]')) keepHeight(image)
  for (const pre of content.querySelectorAll('pre')) {
    pre.tabIndex = 0
    pre.dir = 'ltr'
  }
  for (const item of content.querySelectorAll('li')) showTask(item)
  if (content.querySelector('.katex')) loadFormulaStyles().catch(() => {})
  for (const spoiler of content.querySelectorAll<HTMLElement>('.spoiler-block')) makeSpoiler(spoiler)
}

/** "[x] Buy bread" in a list is a task. */
function showTask(item: HTMLElement): void {
  const line = item.firstElementChild?.localName === 'p' ? item.firstElementChild : item
  const text = line.firstChild
  const isDone = text instanceof Text ? /^\[([ xX])\] /.exec(text.data)?.[1] : undefined
  if (isDone === undefined) return
  ;(text as Text).data = (text as Text).data.slice(4)
  const box = document.createElement('input')
  Object.assign(box, { type: 'checkbox', disabled: true, defaultChecked: isDone !== ' ' })
  box.setAttribute('aria-label', line.textContent)
  line.prepend(box)
  item.className = 'task'
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
  if (!header.textContent.trim()) header.append(t('rendered.spoiler'))
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
