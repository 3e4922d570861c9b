import ts from 'typescript'
import { calledMethod, type Rule } from './rule.ts'

/** npm test checks the row types only of many, one, maybeOne and column (platform/db/query.ts). */
export const noUncheckedRows: Rule = (node) => {
  if (!isTypedSql(node) && !isRowsOfExecute(node)) return undefined
  return 'Use many, one, maybeOne, column or exists of platform/db/query.ts.'
}

/** sql<Row>`…`.execute(db) */
function isTypedSql(node: ts.Node): boolean {
  const call = calledMethod(node)
  if (call?.name !== 'execute' || !ts.isTaggedTemplateExpression(call.object)) return false
  return call.object.typeArguments !== undefined
}

/** const { rows } = await ….execute(db) */
function isRowsOfExecute(node: ts.Node): boolean {
  if (!ts.isVariableDeclaration(node) || !ts.isObjectBindingPattern(node.name)) return false
  const [first] = node.name.elements
  const name = first && (first.propertyName ?? first.name)
  if (!name || !ts.isIdentifier(name) || name.text !== 'rows') return false
  const { initializer } = node
  return initializer !== undefined && ts.isAwaitExpression(initializer) && isExecute(initializer.expression)
}

function isExecute(node: ts.Node): boolean {
  return calledMethod(node)?.name === 'execute'
}
