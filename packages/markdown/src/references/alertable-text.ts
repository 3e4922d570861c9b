import { type Fenced, takeFences } from '../blocks/fences.ts'
import { inlineFormula } from '../blocks/math.ts'
import { findUrl } from '../inline/autolinks.ts'
import { markStart } from '../inline/marks.ts'
import { normalize } from '../normalize.ts'

/** Stands for what was left out. Neither texts nor alert words contain it. */
const gap = markStart

/** The parts of a message in which alert words count: not code blocks, formulas, URLs and emails. Inline code counts. */
export function alertableText(content: string, defaultLanguage?: string): string {
  return takeFences(normalize(content), markup, defaultLanguage)
    .replace(inlineFormula, gap)
    .replace(/\]\([^()\n]*\)/g, `](${gap})`)
    .replace(/\S+/g, withoutUrl)
}

function markup(fenced: Fenced): string {
  if (fenced.kind === 'quote') return fenced.text
  return fenced.kind === 'spoiler' ? `${fenced.header}\n${fenced.text}` : gap
}

function withoutUrl(word: string): string {
  const found = findUrl(word)
  if (!found) return word.includes('://') ? gap : word
  return word.slice(0, found.start) + gap + word.slice(found.start + found.url.length)
}
