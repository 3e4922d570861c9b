/** Inserts at the cursor, as typing would, so that the browser's undo knows of it. */
export function insertText(area: HTMLTextAreaElement, text: string): void {
  area.focus()
  if (document.execCommand('insertText', false, text)) return
  area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end')
  area.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Puts marks around the selection and keeps it selected. */
export function wrapSelection(area: HTMLTextAreaElement, before: string, after: string): void {
  const { selectionStart, selectionEnd, value } = area
  const selected = value.slice(selectionStart, selectionEnd)
  insertText(area, before + selected + after)
  area.setSelectionRange(selectionStart + before.length, selectionStart + before.length + selected.length)
}

const entities = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
])

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => entities.get(sign)!)
}
