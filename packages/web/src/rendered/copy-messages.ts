import { markupOf } from './markup.ts'

/** Selected messages are copied as text with markup, several of them with the names of their senders. */
export function startCopying(): void {
  document.addEventListener('copy', (event) => {
    const selection = document.getSelection()
    if (!selection || selection.isCollapsed || (event.target as Element).closest?.('input, textarea')) return
    const text = selectedText(selection.getRangeAt(0))
    if (text === undefined) return
    event.clipboardData!.setData('text/plain', text)
    event.preventDefault()
  })
}

function selectedText(range: Range): string | undefined {
  const rows = [...document.querySelectorAll('article.msg')].filter((row) => range.intersectsNode(row))
  if (rows.length === 0 || !range.commonAncestorContainer.parentElement?.closest('.feed')) return undefined
  const texts = rows.map((row) => ({ sender: senderOf(row), text: selectedIn(row, range) })).filter(({ text }) => text)
  if (texts.length < 2) return texts[0]?.text
  return texts.map(({ sender, text }) => `${sender}:\n${text}`).join('\n\n')
}

/** Its name is "Ines, 17:40". */
function senderOf(row: Element): string {
  return row.getAttribute('aria-label') ?? ''
}

function selectedIn(row: Element, range: Range): string {
  const parts = [...row.querySelectorAll('.text')].map((text) => {
    const part = document.createRange()
    part.selectNodeContents(text)
    if (range.compareBoundaryPoints(Range.START_TO_START, part) > 0)
      part.setStart(range.startContainer, range.startOffset)
    if (range.compareBoundaryPoints(Range.END_TO_END, part) < 0) part.setEnd(range.endContainer, range.endOffset)
    return part.collapsed ? '' : markupOf(part.cloneContents())
  })
  return parts.filter(Boolean).join('\n')
}
