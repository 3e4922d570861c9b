import { decodeEntities, shownText } from '@parley/markdown/shown-text'

/** How `/me waves`, an action of its sender, is rendered. */
const actionStart = /^<p>\/me (?=\S)/

export function isAction(html: string): boolean {
  return actionStart.test(html)
}

/** What the sender does, without `/me`. */
export function actionHtml(html: string): string {
  return html.replace(actionStart, '<p>')
}

/** The sender before the words of `plainText`: "Ines: I wave", and "Ines waves" for an action. */
export function speaker(sender: string, html: string): string {
  return isAction(html) ? sender : `${sender}:`
}

/** The words of a message for one line. */
export function plainText(html: string, limit = 400): string {
  return shownText(actionHtml(html)).slice(0, limit)
}

/** What was typed, if the HTML is nothing but paragraphs of text. */
export function plainSource(html: string): string | undefined {
  const text = html
    .replace(/<\/p>\s*<p>/g, '\n\n')
    .replace(/<br>\n?/g, '\n')
    .replace(/^<p>|<\/p>$/g, '')
  return text.includes('<') ? undefined : decodeEntities(text)
}
