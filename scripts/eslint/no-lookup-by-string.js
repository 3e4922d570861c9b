import { ESLintUtils } from '@typescript-eslint/utils'
import ts from 'typescript'

/**
 * Refuses `table[name]` and `name in table` where `name` can be any string. Names come from clients, and a plain object
 * also answers to `constructor`, `toString` and `__proto__`. Use a Map, Object.hasOwn (`lookup()`) or a key whose type
 * is a union of literals.
 */
export const noLookupByString = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      lookup: 'The key can be any string, also "constructor" or "__proto__": use a Map or lookup(table, name).',
    },
  },
  create(context) {
    const services = ESLintUtils.getParserServices(context)
    const checker = services.program.getTypeChecker()
    const refuse = (table, key, node) => {
      if (isAnyString(keyType(key)) && !isList(services.getTypeAtLocation(table)))
        context.report({ node, messageId: 'lookup' })
    }
    // `name as keyof typeof table` asserts a type that is not checked.
    const keyType = (key) => {
      const type = services.getTypeAtLocation(key.type === 'TSAsExpression' ? key.expression : key)
      return checker.getBaseConstraintOfType(type) ?? type
    }
    const isList = (type) => {
      const base = checker.getBaseConstraintOfType(type) ?? type
      return everyPart(base, (part) => checker.isArrayLikeType(part) || Boolean(part.flags & ts.TypeFlags.StringLike))
    }
    return {
      MemberExpression(node) {
        if (node.computed) refuse(node.object, node.property, node)
      },
      BinaryExpression(node) {
        if (node.operator === 'in' && node.left.type !== 'PrivateIdentifier') refuse(node.right, node.left, node)
      },
    }
  },
}

function everyPart(type, test) {
  return (type.isUnion() ? type.types : [type]).every(test)
}

function isAnyString(type) {
  const open = ts.TypeFlags.String | ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.TemplateLiteral
  return !everyPart(type, (part) => !(part.flags & open))
}
