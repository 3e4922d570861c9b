import ts from 'typescript'
import { calledMethod, type Rule } from './rule.ts'

const helpers = new Set(['many', 'one', 'maybeOne', 'column', 'exists'])
const write = /\b(insert into|update \w+( \w+)? set|delete from|for (no key )?update|for (key )?share)\b/i
const builderLock = /^for(Update|NoKeyUpdate|Share|KeyShare)$/

/**
 * Refuses statements that write or lock through a `Db`, whose type promises that a function only reads. The builder cannot
 * write through it, but it can lock, and SQL text can do both.
 */
export const noWriteThroughDb: Rule = (node, checker) => {
  const db = writtenThrough(node) ?? lockedThrough(node, checker)
  if (!db || checker.getTypeAtLocation(db).getProperty('insertInto')) return undefined
  return 'This statement writes or locks: take Tx, or Database where there are no events, instead of Db.'
}

/** `db` of a helper whose SQL text writes or locks. */
function writtenThrough(node: ts.Node): ts.Expression | undefined {
  if (!ts.isTaggedTemplateExpression(node) || !ts.isCallExpression(node.tag)) return undefined
  const { expression, arguments: given } = node.tag
  if (!ts.isIdentifier(expression) || !helpers.has(expression.text)) return undefined
  return textsOf(node.template).some((text) => write.test(text.replace(/\s+/g, ' '))) ? given[0] : undefined
}

function textsOf(template: ts.TemplateLiteral): string[] {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return [template.text]
  return [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)]
}

function lockedThrough(node: ts.Node, checker: ts.TypeChecker): ts.Expression | undefined {
  const isLock = builderLock.test(calledMethod(node)?.name ?? '')
  return isLock ? databaseOf(node, checker) : undefined
}

/** What `selectFrom` is called on. Follows variables, but not functions. */
function databaseOf(node: ts.Node | undefined, checker: ts.TypeChecker): ts.Expression | undefined {
  if (node && ts.isIdentifier(node)) {
    const declaration = checker.getSymbolAtLocation(node)?.valueDeclaration
    return declaration && ts.isVariableDeclaration(declaration)
      ? databaseOf(declaration.initializer, checker)
      : undefined
  }
  const call = calledMethod(node)
  return call?.name === 'selectFrom' ? call.object : call && databaseOf(call.object, checker)
}
