export type Field = HTMLTextAreaElement | HTMLInputElement

/** What decides where the letters of a text field stand. */
const properties = `direction font-family font-size font-weight font-style font-feature-settings font-variation-settings
  letter-spacing line-height padding-left padding-right border-left-width border-right-width box-sizing tab-size
  text-align text-indent word-spacing`.split(/\s+/)

/** How far from the left edge of the page a character of a text field stands: browsers tell this only of other elements. */
export function caretColumn(field: Field, index: number): number {
  const style = getComputedStyle(field)
  const copy = document.createElement('div')
  for (const property of properties) copy.style.setProperty(property, style.getPropertyValue(property))
  const isArea = field instanceof HTMLTextAreaElement
  Object.assign(copy.style, { position: 'fixed', visibility: 'hidden', overflowWrap: 'break-word' })
  copy.style.whiteSpace = isArea ? 'pre-wrap' : 'pre'
  copy.style.width = `${field.offsetWidth}px`
  const mark = document.createElement('span')
  mark.textContent = '\u200b'
  copy.append(field.value.slice(0, index), mark)
  document.body.append(copy)
  const column = mark.offsetLeft - field.scrollLeft
  copy.remove()
  return field.getBoundingClientRect().left + column
}
