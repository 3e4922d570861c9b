import { type Html, html } from '../../platform/html.ts'

/** From Lucide (ISC License, Lucide Contributors). */
const shapes = {
  waves: html`<path d="M2 12q2.5 2 5 0t5 0 5 0 5 0"/><path d="M2 19q2.5 2 5 0t5 0 5 0 5 0"/><path d="M2 5q2.5 2 5 0t5 0 5 0 5 0"/>`,
  flask: html`<path d="M14 2v6a2 2 0 0 0 .245.96l5.51 10.08A2 2 0 0 1 18 22H6a2 2 0 0 1-1.755-2.96l5.51-10.08A2 2 0 0 0 10 8V2"/><path d="M6.453 15h11.094"/><path d="M8.5 2h7"/>`,
  check: html`<path d="M20 6 9 17l-5-5"/>`,
  alert: html`<circle cx="12" cy="12" r="10"/><path d="M12 8v4"/><path d="M12 16h.01"/>`,
} satisfies Record<string, Html>

/** An icon next to a text that says the same. */
export function icon(name: keyof typeof shapes, size: 's' | 'm' | 'l' = 'm'): Html {
  return html`<svg class="icon ${size}" viewBox="0 0 24 24" aria-hidden="true">${shapes[name]}</svg>`
}
