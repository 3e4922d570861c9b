/** HTML that is safe to send: its values have been escaped. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = Html | string | number | false | undefined | null | Value[]

/** A template whose values are escaped, unless they are `Html` themselves. `false`, `undefined` and `null` are left out. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(textOf)))
}

function textOf(value: Value): string {
  if (value === false || value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(textOf).join('')
  return value instanceof Html ? value.text : escapeHtml(String(value))
}

const entities = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
])

/** Safe as text and in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => entities.get(char)!)
}
