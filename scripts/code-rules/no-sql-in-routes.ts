import ts from 'typescript'
import { calledMethod, type Rule } from './rule.ts'

const builder = /^(selectFrom|insertInto|updateTable|deleteFrom|query)$/

export const noSqlInRoutes: Rule = (node) => {
  const isTagged = ts.isTaggedTemplateExpression(node) && !(ts.isIdentifier(node.tag) && node.tag.text === 'html')
  if (!isTagged && !builder.test(calledMethod(node)?.name ?? '')) return undefined
  return 'Route files contain no SQL: put the query into access, actions or queries.'
}
