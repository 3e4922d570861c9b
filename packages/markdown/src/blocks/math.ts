import type { KatexOptions } from 'katex'
import { load } from '#decoration'
import { escapeText } from '../html.ts'
import type { Inline } from '../inline/inline.ts'
import { markStart } from '../inline/marks.ts'

type Katex = { renderToString(tex: string, options: KatexOptions): string }

// KaTeX is large and most messages contain no formula, so it is loaded on first use.
let katex: Katex | undefined

/** `$$x^2$$` inside a line. */
export const inlineFormula = /(?<![\p{L}\p{N}_$])\$\$([^\n_$](?:\\\$|[^$\n])*)\$\$(?![\p{L}\p{N}_$])/gu

/** Typesets formulas inside a line. */
export function inlineMath(text: string, inline: Inline): string {
  const { mayDecorate = () => true } = inline.message.context
  return text.replace(inlineFormula, (source, tex: string) =>
    // Code spans inside a formula are not part of it.
    tex.includes(markStart) ? source : inline.keep(formulaHtml(source, tex, mayDecorate(), false), source),
  )
}

/** The inside of a `math` fence; blank lines separate formulas. */
export function displayMath(text: string, mayDecorate: () => boolean): string {
  return text
    .split('\n\n')
    .map((tex) => formulaHtml(tex, tex, mayDecorate(), true))
    .join('\n\n')
}

/** The source, if there is no time to typeset it. */
function formulaHtml(source: string, tex: string, isSet: boolean, displayMode: boolean): string {
  if (!isSet) return `<code>${escapeText(source)}</code>`
  return renderTex(tex, displayMode) ?? `<span class="tex-error">${escapeText(source)}</span>`
}

function renderTex(tex: string, displayMode: boolean): string | undefined {
  try {
    katex ??= load('katex') as Katex
    return katex.renderToString(tex, { displayMode, trust: false, strict: 'ignore', maxSize: 100, maxExpand: 500 })
  } catch {
    return undefined
  }
}
