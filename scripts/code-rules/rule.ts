import ts from 'typescript'

/** Says what is wrong with a node, or nothing. */
export type Rule = (node: ts.Node, checker: ts.TypeChecker) => string | undefined

/** `db` of `db.selectFrom(…)` and the like, or undefined for other calls. */
export function calledMethod(node: ts.Node | undefined): { object: ts.Expression; name: string } | undefined {
  if (!node || !ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined
  return { object: node.expression.expression, name: node.expression.name.text }
}

export function withoutParentheses(node: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(node) ? withoutParentheses(node.expression) : node
}
