/** What is one entry of a list on a screen. Messages have their own keys. */
const rows = 'main :is(.line-item, .conv, .card.scheduled, tbody tr, li):not(.feed *)'
const controls = 'a[href], button:not([disabled]), select, input, textarea, [tabindex="0"]'

/** Where the focus is, and where it goes if its row disappears. */
interface FocusPlace {
  control: HTMLElement
  label: string
  /** The rows after it, then those before it, the nearest first. */
  others: Element[]
  scope: Element | null
}

/**
 * When the row that has the focus is removed, the focus goes to the same control of the next row, else of the previous
 * one, else to the heading: otherwise the keyboard and screen readers would start again at the top of the page. The
 * rows beside it are those of the last change: more may have come since it got the focus.
 */
export function keepFocusInLists(): () => void {
  let place: FocusPlace | undefined
  const observer = new MutationObserver(() => {
    if (!place) return
    const { control } = place
    const isLost = !document.activeElement || document.activeElement === document.body
    if (isLost && !control.isConnected) moveFocus(place)
    else place = focusPlaceOf(control)
  })
  const entered = ({ target }: FocusEvent) => {
    observer.disconnect()
    place = focusPlaceOf(target as HTMLElement)
    if (place) observer.observe(document.body, { childList: true, subtree: true })
  }
  document.addEventListener('focusin', entered)
  return () => {
    document.removeEventListener('focusin', entered)
    observer.disconnect()
  }
}

function focusPlaceOf(control: HTMLElement): FocusPlace | undefined {
  const row = control.closest(rows)
  if (!row) return undefined
  const all = [...row.parentElement!.children].filter((one) => one.matches(rows))
  const index = all.indexOf(row)
  return {
    control,
    label: labelOf(control),
    others: [...all.slice(index + 1), ...all.slice(0, index).reverse()],
    scope: row.parentElement!.closest('section, dialog, main'),
  }
}

function moveFocus({ control, label, others, scope }: FocusPlace): void {
  for (const row of others.filter(({ isConnected }) => isConnected)) {
    const found = [...row.querySelectorAll<HTMLElement>(controls)]
    const same = found.filter((one) => one.tagName === control.tagName)
    for (const one of [...same.filter((one) => labelOf(one) === label), ...same, ...found]) if (takesFocus(one)) return
  }
  if (scope?.isConnected) focusHeading(scope)
}

function labelOf(control: HTMLElement): string {
  return control.getAttribute('aria-label') ?? control.textContent
}

function takesFocus(control: HTMLElement): boolean {
  control.focus()
  return document.activeElement === control
}

function focusHeading(scope: Element): void {
  const heading = scope.querySelector<HTMLElement>('h1, h2') ?? document.querySelector<HTMLElement>('main h1')
  heading?.setAttribute('tabindex', '-1')
  heading?.focus()
}
