// Checks the texts of the web client and of the server's pages: every language has every text, code of the client contains
// none, and styles work in both directions.
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import ts from 'typescript'
import { parseMessage, valuesOf } from '../packages/web/message-format.ts'
import { readTexts } from './generate/describe-texts.ts'
import { pageProblems, pageTexts } from './page-texts.ts'

type TextsOf = Record<string, string>

/** What is wrong with the languages, one sentence each. */
export function languageProblems(texts: ReadonlyMap<string, TextsOf>, usedIds: ReadonlySet<string>): string[] {
  const english = texts.get('en')!
  const ids = Object.keys(english)
  const others = [...texts].filter(([locale]) => locale !== 'en')
  return [
    ...(ids.join() === ids.toSorted().join() ? [] : ['en: ids are not sorted.']),
    ...ids.filter((id) => !usedIds.has(id)).map((id) => `en: ${id} is not used.`),
    ...others.flatMap(([locale, own]) => comparisonProblems(locale, own, english)),
  ]
}

function comparisonProblems(locale: string, own: TextsOf, english: TextsOf): string[] {
  return [...new Set([...Object.keys(english), ...Object.keys(own)])].flatMap((id) => {
    if (own[id] === undefined) return [`${locale}: ${id} is missing.`]
    if (english[id] === undefined) return [`${locale}: ${id} does not exist in English.`]
    const [mine, theirs] = [own[id], english[id]].map(placeholdersOf)
    return mine === theirs ? [] : [`${locale}: ${id} has the values ${mine}, in English ${theirs}.`]
  })
}

function placeholdersOf(source: string): string {
  return (
    [...valuesOf(parseMessage(source))]
      .map(([name, kind]) => `${name} (${kind})`)
      .sort()
      .join(', ') || 'none'
  )
}

/** Read by people or screen readers. */
const visibleAttributes =
  /^(aria-label|aria-description|title|placeholder|alt|label|detail|text|hint|button|question|explanation|emptyText|action)$/
/** Examples of input, and names. */
const allowed = new Set([
  'party_ship',
  'ann@example.com',
  'rust',
  'https://',
  'https://play.example.com/?code={code}',
  'Parley',
])
const hasWord = (text: string) => /\p{L}{2}/u.test(text) && !allowed.has(text.trim())
/** Written like a sentence or a heading. */
const isSentence = (text: string) => hasWord(text) && /^\p{Lu}[\p{Ll}’']+( |[.!?…]?$)/u.test(text)

/** Texts that stand in the code of a component instead of in a language. */
export function literalTexts(name: string, source: string): string[] {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX)
  const found: string[] = []
  const report = (node: ts.Node, text: string) => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart())
    found.push(`${name}:${line + 1}: “${text.trim()}” belongs into the texts.`)
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node) || isDefect(node)) return
    if (ts.isJsxText(node) && hasWord(node.text)) report(node, node.text)
    if (ts.isJsxAttribute(node) && node.initializer && ts.isStringLiteral(node.initializer)) {
      if (visibleAttributes.test(node.name.getText()) && hasWord(node.initializer.text))
        report(node, node.initializer.text)
    } else if (ts.isStringLiteralLike(node) && isShown(node)) report(node, node.text)
    else if (ts.isTemplateExpression(node) && templateWords(node).some(isSentence)) report(node, node.getText())
    else ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

/** `new Error('…')` is read by engineers. */
function isDefect(node: ts.Node): boolean {
  return ts.isNewExpression(node) && node.expression.getText().endsWith('Error')
}

/** Names of keys and events are compared or looked up, not shown. */
function isShown(node: ts.StringLiteralLike): boolean {
  const { parent } = node
  if (!isSentence(node.text) || /^[A-Z][a-z]+([A-Z][a-z]*)*\d?$/.test(node.text))
    return isChild(node) && hasWord(node.text)
  return !ts.isPropertyAssignment(parent) || parent.name !== node
}

/** `{'text'}` between tags, also behind a condition. */
function isChild(node: ts.Node): boolean {
  let above = node.parent
  while (ts.isConditionalExpression(above) || ts.isParenthesizedExpression(above)) above = above.parent
  return ts.isJsxExpression(above) && !ts.isJsxAttribute(above.parent)
}

function templateWords({ head, templateSpans }: ts.TemplateExpression): string[] {
  return [head.text, ...templateSpans.map(({ literal }) => literal.text)]
}

const physical =
  /(?<![\w-])((margin|padding|border)-(left|right)[\w-]*|border-(top|bottom)-(left|right)-radius|left|right)\s*:|(text-align|float|clear)\s*:\s*(left|right)\b/

/** Declarations that name a side of the screen instead of the start or end of a line. */
export function physicalStyles(name: string, source: string): string[] {
  return source.split('\n').flatMap((line, index) => {
    const found = physical.exec(line)?.[0] ?? unequalSides(line)
    return found ? [`${name}:${index + 1}: “${found}” ignores right-to-left languages.`] : []
  })
}

/** `margin: 0 4px 0 8px` has a left side that stays left. */
function unequalSides(line: string): string | undefined {
  const found = /(?<![\w-])(margin|padding|inset)\s*:\s*([^;]+);/.exec(line)
  const sides = (found?.[2] ?? '')
    .replace(/\([^()]*\)/g, (part) => part.replaceAll(' ', ''))
    .trim()
    .split(/\s+/)
  return sides.length === 4 && sides[1] !== sides[3] ? found![0] : undefined
}

/** The same for the texts of the server's pages. */
function serverProblems(): string[] {
  const server = join(import.meta.dirname, '../packages/server')
  const read = (name: string) => readFileSync(join(server, name), 'utf8')
  const sources = globSync('src/**/*.ts', { cwd: server, exclude: ['**/*.test.ts', '**/testing/**'] })
  const languages = new Map<string, Record<string, string>>(
    globSync('public/texts/*.json', { cwd: server }).map((name) => [basename(name, '.json'), JSON.parse(read(name))]),
  )
  return pageProblems(pageTexts(sources.map(read), [...languages.values()].flatMap(Object.keys)), languages)
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '../packages/web/src')
  const read = (pattern: string) =>
    globSync(pattern, { cwd: root })
      .filter((name) => !/\.test\.ts$|generated|icon-shapes/.test(name))
      .map((name) => [name, readFileSync(join(root, name), 'utf8')] as const)
  const code = read('**/*.{ts,tsx}')
  const used = new Set(
    [...code, ...read('../sw/*.ts')].flatMap(([, source]) =>
      [...source.matchAll(/'(\w+(?:\.\w+)+)'/g)].map(([, id]) => id!),
    ),
  )
  const problems = [
    ...serverProblems(),
    ...languageProblems(readTexts(), used),
    ...code.flatMap(([name, source]) => literalTexts(name, source)),
    ...read('**/*.css').flatMap(([name, source]) => physicalStyles(name, source)),
  ]
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length > 0 ? 1 : 0
}
