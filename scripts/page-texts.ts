import ts from 'typescript'

/**
 * The English texts of the server's pages: what `say` of platform/html.ts is called with. Error messages are shown on
 * pages too; those of `translated` count that stand in the code.
 */
export function pageTexts(sources: readonly string[], translated: Iterable<string>): Set<string> {
  const literals = new Set<string>()
  const said = new Set<string>()
  for (const source of sources) {
    const saysHere = /import \{[^}]*\bsay\b[^}]*\} from '[./]+\/platform\/html\.ts'/.test(source)
    const visit = (node: ts.Node): void => {
      if (ts.isStringLiteralLike(node)) literals.add(node.text)
      if (saysHere && ts.isCallExpression(node) && node.expression.getText() === 'say')
        for (const text of textsIn(node.arguments[0]!)) said.add(text)
      ts.forEachChild(node, visit)
    }
    visit(ts.createSourceFile('page.ts', source, ts.ScriptTarget.Latest, true))
  }
  return said.union(new Set([...translated].filter((text) => literals.has(text))))
}

function textsIn(argument: ts.Expression): string[] {
  if (ts.isStringLiteralLike(argument)) return [argument.text]
  return ts.isConditionalExpression(argument) ? [argument.whenTrue, argument.whenFalse].flatMap(textsIn) : []
}

/** What is missing in the languages of the pages, has other values than in English, or is not used any more. */
export function pageProblems(
  texts: ReadonlySet<string>,
  languages: ReadonlyMap<string, Readonly<Record<string, string>>>,
): string[] {
  return [...languages].flatMap(([code, own]) => {
    const translations = new Map(Object.entries(own))
    const missing = [...texts].filter((text) => !translations.has(text)).map((text) => `“${text}” is missing.`)
    const others = [...translations].flatMap(([text, translation]) => {
      if (!texts.has(text)) return [`“${text}” is not used.`]
      return valuesOf(text) === valuesOf(translation) ? [] : [`“${text}” has other values.`]
    })
    return [...missing, ...others].map((problem) => `pages, ${code}: ${problem}`)
  })
}

function valuesOf(text: string): string {
  return [...text.matchAll(/\{\w+\}/g)].flat().sort().join()
}
