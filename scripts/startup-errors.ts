// The messages of every StartupError in the sources, with … for what is filled in.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const sources = join(import.meta.dirname, '../packages/server/src')

/** By message; the file says where it comes from. A message that another function words has no text here. */
export function startupErrors(): Map<string, string> {
  const files = globSync('**/*.ts', { cwd: sources }).filter((file) => !/(\.test\.ts|^testing\/)/.test(file))
  return new Map(
    files.sort().flatMap((file) => messagesIn(join(sources, file)).map((message) => [message, file] as const)),
  )
}

function messagesIn(path: string): string[] {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest)
  const messages: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && (node.expression as ts.Identifier).text === 'StartupError')
      messages.push(...wordings(node.arguments![0]!))
    ts.forEachChild(node, visit)
  }
  visit(file)
  return messages
}

function wordings(node: ts.Expression): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text]
  if (ts.isConditionalExpression(node)) return [...wordings(node.whenTrue), ...wordings(node.whenFalse)]
  if (!ts.isTemplateExpression(node)) return []
  return [[node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…')]
}
