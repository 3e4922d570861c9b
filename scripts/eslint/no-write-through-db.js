import { ESLintUtils } from '@typescript-eslint/utils'

const helpers = new Set(['many', 'one', 'maybeOne', 'column', 'exists'])
const write =
  /\b(insert into|update \w+( \w+)? set|update \w+\s+set|delete from|for (no key )?update|for (key )?share)\b/i

/**
 * Refuses SQL that writes or locks through a `Db`, whose type promises that a function only reads. The builder cannot
 * write through it, but SQL text can.
 */
export const noWriteThroughDb = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { write: 'This SQL writes or locks: take Tx, or Database where there are no events, instead of Db.' },
  },
  create(context) {
    const services = ESLintUtils.getParserServices(context)
    return {
      TaggedTemplateExpression({ tag, quasi }) {
        if (tag.type !== 'CallExpression' || !helpers.has(tag.callee.name)) return
        if (!quasi.quasis.some(({ value }) => write.test(value.raw.replace(/\s+/g, ' ')))) return
        const type = services.getTypeAtLocation(tag.arguments[0])
        if (!type.getProperty('insertInto')) context.report({ node: tag, messageId: 'write' })
      },
    }
  },
}
