import ts from 'typescript'
import { type Rule, withoutParentheses } from './rule.ts'

/**
 * Refuses `table[name]` and `name in table` where `name` can be any string. Names come from clients, and a plain object
 * also answers to `constructor`, `toString` and `__proto__`. Use a Map, Object.hasOwn (`lookup()`) or a key whose type
 * is a union of literals.
 */
export const noLookupByString: Rule = (node, checker) => {
  const [table, key] = lookupOf(node) ?? []
  if (!table || !key || !isAnyString(keyType(key, checker)) || isList(table, checker)) return undefined
  return 'The key can be any string, also "constructor" or "__proto__": use a Map or lookup(table, name).'
}

function lookupOf(node: ts.Node): [table: ts.Expression, key: ts.Expression] | undefined {
  if (ts.isElementAccessExpression(node)) return [node.expression, node.argumentExpression]
  const isIn = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword
  return isIn && !ts.isPrivateIdentifier(node.left) ? [node.right, node.left] : undefined
}

/** `name as keyof typeof table` asserts a type that is not checked. */
function keyType(key: ts.Expression, checker: ts.TypeChecker): ts.Type {
  const bare = withoutParentheses(key)
  return constraintOf(ts.isAsExpression(bare) ? bare.expression : bare, checker)
}

function isList(table: ts.Expression, checker: ts.TypeChecker): boolean {
  const isListed = (part: ts.Type) => checker.isArrayLikeType(part) || Boolean(part.flags & ts.TypeFlags.StringLike)
  return everyPart(constraintOf(table, checker), isListed)
}

function constraintOf(node: ts.Expression, checker: ts.TypeChecker): ts.Type {
  const type = checker.getTypeAtLocation(node)
  return checker.getBaseConstraintOfType(type) ?? type
}

function everyPart(type: ts.Type, test: (part: ts.Type) => boolean): boolean {
  return (type.isUnion() ? type.types : [type]).every(test)
}

function isAnyString(type: ts.Type): boolean {
  const open = ts.TypeFlags.String | ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.TemplateLiteral
  return !everyPart(type, (part) => !(part.flags & open))
}
