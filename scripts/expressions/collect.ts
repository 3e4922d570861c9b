import ts from 'typescript'

export interface Expression {
  line: number
  /** Undefined if nothing of it is known before it runs. */
  source: string | undefined
  flags: string
  /** Why it may take more than linear time, written beside it. */
  reason: string | undefined
}

/** Stands for a part of an expression that is known only when it runs. */
const placeholder = 'x'
const exception = /\/\/ Not linear: (\S.*)/

/** The regular expressions of a source file: literals, and those that are built from texts. */
export function collectExpressions(fileName: string, text: string): Expression[] {
  const file = ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest, true)
  const lines = text.split('\n')
  const constants = constantsOf(file)
  const found: Expression[] = []
  const add = (node: ts.Node, source: string | undefined, flags: string) => {
    const line = file.getLineAndCharacterOfPosition(node.getStart()).line
    const reason = exception.exec(`${lines[line - 1] ?? ''}\n${lines[line]}`)?.[1]
    found.push({ line: line + 1, source, flags, reason })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node) && !isOnlySource(node)) add(node, ...partsOf(node))
    else if (isConstructed(node)) {
      const [source, flags] = node.arguments!
      const text = source && textOf(source, constants)
      const isKnown = text !== placeholder || source!.getText().startsWith('RegExp.escape(')
      add(node, isKnown ? text : undefined, flags ? textOf(flags, constants) : '')
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

function isConstructed(node: ts.Node): node is ts.NewExpression | ts.CallExpression {
  return (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp'
}

/** `/…/.source` is a part of another expression. */
function isOnlySource(node: ts.Node): boolean {
  return ts.isPropertyAccessExpression(node.parent) && node.parent.name.text === 'source'
}

function partsOf({ text }: ts.RegularExpressionLiteral): [source: string, flags: string] {
  const end = text.lastIndexOf('/')
  return [text.slice(1, end), text.slice(end + 1)]
}

function constantsOf(file: ts.SourceFile): Map<string, ts.Expression> {
  const constants = new Map<string, ts.Expression>()
  for (const statement of file.statements)
    if (ts.isVariableStatement(statement) && statement.declarationList.flags & ts.NodeFlags.Const)
      for (const { name, initializer } of statement.declarationList.declarations)
        if (initializer) constants.set(name.getText(), initializer)
  return constants
}

/** The text of an expression, as far as it is known before it runs. */
function textOf(node: ts.Expression, constants: Map<string, ts.Expression>): string {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce(
      (text, span) => text + textOf(span.expression, constants) + span.literal.text,
      node.head.text,
    )
  if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'String.raw')
    return rawText(node.template, constants)
  if (ts.isPropertyAccessExpression(node) && ts.isRegularExpressionLiteral(node.expression))
    return partsOf(node.expression)[0]
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken)
    return textOf(node.left, constants) + textOf(node.right, constants)
  const constant = ts.isIdentifier(node) ? constants.get(node.text) : undefined
  return constant ? textOf(constant, constants) : placeholder
}

function rawText(template: ts.TemplateLiteral, constants: Map<string, ts.Expression>): string {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return template.rawText ?? template.text
  return template.templateSpans.reduce(
    (text, { expression, literal }) => text + textOf(expression, constants) + (literal.rawText ?? literal.text),
    template.head.rawText ?? template.head.text,
  )
}
