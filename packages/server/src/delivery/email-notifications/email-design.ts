import { escapeHtml } from '../../platform/html.ts'
import type { Part } from '../mail/templates.ts'

/** Programs that ignore style sheets show plain text in the same order, and the button as a button. */
export const design = `
:root { color-scheme: light dark; }
body { margin: 0; padding: 24px 12px; background: #eff3f6; color: #1f262c; font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: #0b6285; }
.sheet { max-width: 600px; margin: 0 auto; padding: 28px; box-sizing: border-box; border-radius: 12px; background: #ffffff; }
.marker { margin: 0 0 12px; text-align: center; font-size: 13px; color: #55616b; }
.organization { margin: 0; font-size: 13px; font-weight: 600; color: #55616b; }
h1 { margin: 2px 0 20px; font-size: 20px; line-height: 1.3; }
.who { margin: 20px 0 2px; }
.when { padding-left: 6px; font-size: 13px; color: #55616b; }
.message p { margin: 0 0 8px; }
.message ul, .message ol { margin: 4px 0 8px; padding-left: 24px; }
.message table, .message pre { margin: 8px 0; }
.open { margin: 28px 0 0; }
.footer { max-width: 600px; margin: 16px auto 0; padding: 0 28px; box-sizing: border-box; font-size: 13px; color: #55616b; }
.footer p { margin: 0 0 6px; }
@media (max-width: 480px) { .sheet { padding: 20px 16px; } .footer { padding: 0 16px; } }
@media (prefers-color-scheme: dark) {
  body { background: #14181c; color: #e6eaed; }
  a { color: #7cc8ea; }
  .sheet { background: #1d2329; }
  .marker, .organization, .when, .footer { color: #a3aeb7; }
}`

/** What belongs together, in one box. */
export function boxed(look: 'sheet' | 'footer', parts: Part[]): Part {
  return {
    text: parts
      .map(({ text }) => text)
      .filter((text) => text !== '')
      .join('\n\n'),
    html: `<div class="${look}">\n${parts.map(({ html }) => html).join('\n')}\n</div>`,
  }
}

/** The line above which answers are written. */
export function markerLine(text: string): Part {
  return { text, html: `<p class="marker">${escapeHtml(text)}</p>` }
}

/** The subject and the footer say the same in plain text. */
export function heading(organization: string, title: string): Part {
  return { text: '', html: `<p class="organization">${escapeHtml(organization)}</p>\n<h1>${escapeHtml(title)}</h1>` }
}

/** The name of a sender and the time of their message, in the reader's zone. */
export function byline(name: string, time: string): Part {
  const html = `<p class="who"><strong>${escapeHtml(name)}</strong> <span class="when">${escapeHtml(time)}</span></p>`
  return { text: `${name}:`, html }
}

/** Readable on light and dark, also without the style sheet. */
const buttonStyle =
  'display: inline-block; padding: 11px 18px; border-radius: 8px; background: #0b6285; color: #ffffff; font-weight: 600; text-decoration: none;'

export function button(label: string, url: string): Part {
  const html = `<p class="open"><a href="${escapeHtml(url)}" style="${buttonStyle}">${escapeHtml(label)}</a></p>`
  return { text: `${label}: ${url}`, html }
}
