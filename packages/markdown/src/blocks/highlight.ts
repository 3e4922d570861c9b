import type { HLJSApi, LanguageFn } from 'highlight.js'
import { load } from '#decoration'
import { attributes, escapeCode } from '../html.ts'
import { trimNewlines } from '../text.ts'
import { findLanguage } from './languages.ts'

// The highlighter and each grammar are loaded on first use.
let highlighter: HLJSApi | undefined

const maxLength = 50_000
// Grammars take quadratic time for very long lines, so these are not highlighted.
const longLine = /[^\n]{500}/

// Clients style the short classes of Pygments.
const classes = new Map<string, string>(
  Object.entries({
    addition: 'gi',
    attr: 'na',
    attribute: 'na',
    built_in: 'nb',
    bullet: 'l',
    'char.escape_': 'se',
    class: 'nc',
    comment: 'c1',
    deletion: 'gd',
    doctag: 'cs',
    emphasis: 'ge',
    function: 'nf',
    keyword: 'k',
    literal: 'kc',
    meta: 'cp',
    name: 'nt',
    number: 'mi',
    operator: 'o',
    property: 'na',
    punctuation: 'p',
    regexp: 'sr',
    section: 'gh',
    'selector-class': 'nc',
    'selector-id': 'ni',
    'selector-tag': 'nt',
    string: 's',
    strong: 'gs',
    subst: 'si',
    symbol: 'ss',
    tag: 'nt',
    title: 'nf',
    'title.class_': 'nc',
    'title.function_': 'nf',
    type: 'kt',
    variable: 'nv',
    'variable.language_': 'bp',
  }),
)

/** A block of code. The language is the word after the fence, or empty. */
export function codeHtml(code: string, word: string, colours = true): string {
  const text = trimNewlines(code)
  const language = findLanguage(word || shebang(text))
  const label = attributes({ class: 'codehilite', 'data-code-language': word ? (language?.name ?? word) : undefined })
  return `<div${label}><pre><span></span><code>${highlight(text, colours ? language?.grammar : undefined)}\n</code></pre></div>`
}

/** The language named by a first line such as `#!/usr/bin/python`. */
function shebang(text: string): string {
  return /^#!(?:(?:\/\w+)*[/ ])?([\w#.+-]+)/.exec(text)?.[1]?.toLowerCase() ?? ''
}

function highlight(text: string, grammar: string | undefined): string {
  if (grammar === undefined || text.length > maxLength || longLine.test(text)) return escapeCode(text)
  try {
    return shorten(withGrammar(grammar).highlight(text, { language: grammar, ignoreIllegals: true }).value)
  } catch {
    return escapeCode(text)
  }
}

function withGrammar(grammar: string): HLJSApi {
  highlighter ??= load('highlight.js/lib/core') as HLJSApi
  if (!highlighter.getLanguage(grammar)) {
    highlighter.registerLanguage(grammar, load(`highlight.js/lib/languages/${grammar}`) as LanguageFn)
  }
  return highlighter
}

function shorten(html: string): string {
  return html
    .replace(/<span class="([^"]*)">/g, (_, names: string) => `<span class="${shortClass(names)}">`)
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
}

function shortClass(names: string): string {
  const [first = '', second] = names.replace('hljs-', '').split(' ')
  return classes.get(`${first}.${second}`) ?? classes.get(first) ?? 'n'
}
