import { ASTUtils, ESLintUtils } from '@typescript-eslint/utils'

const helpers = new Set(['many', 'one', 'maybeOne', 'column', 'exists'])
const write =
  /\b(insert into|update \w+( \w+)? set|update \w+\s+set|delete from|for (no key )?update|for (key )?share)\b/i
const builderLock = /^for(Update|NoKeyUpdate|Share|KeyShare)$/

/**
 * Refuses statements that write or lock through a `Db`, whose type promises that a function only reads. The builder cannot
 * write through it, but it can lock, and SQL text can do both.
 */
export const noWriteThroughDb = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      write: 'This statement writes or locks: take Tx, or Database where there are no events, instead of Db.',
    },
  },
  create(context) {
    const services = ESLintUtils.getParserServices(context)
    const refuseDb = (node, db) => {
      const type = services.getTypeAtLocation(db)
      if (!type.getProperty('insertInto')) context.report({ node, messageId: 'write' })
    }
    return {
      TaggedTemplateExpression({ tag, quasi }) {
        if (tag.type !== 'CallExpression' || !helpers.has(tag.callee.name)) return
        if (quasi.quasis.some(({ value }) => write.test(value.raw.replace(/\s+/g, ' '))))
          refuseDb(tag, tag.arguments[0])
      },
      CallExpression(node) {
        if (!builderLock.test(node.callee.property?.name)) return
        const db = databaseOf(node, context.sourceCode.getScope(node))
        if (db) refuseDb(node, db)
      },
    }
  },
}

/** What `selectFrom` is called on. Follows variables, but not functions. */
function databaseOf(node, scope) {
  if (node?.type === 'Identifier') return databaseOf(ASTUtils.findVariable(scope, node)?.defs[0]?.node.init, scope)
  if (node?.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined
  return node.callee.property.name === 'selectFrom' ? node.callee.object : databaseOf(node.callee.object, scope)
}
