import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'

/** A place in the source that executes a statement and declares the type of its rows. */
export interface CallSite {
  /** File and line, as in an error message. */
  place: string
  checker: ts.TypeChecker
  node: ts.Node
  /** The type of a row, or of the only column. */
  declared: ts.Type
  isColumn: boolean
}

const root = join(import.meta.dirname, '../../../../..')
const rowHelpers = new Set(['many', 'one', 'maybeOne', 'column'])

/** The source of the server without tests: half the files, and the types of tests harm nobody. */
export function serverProgram(): ts.Program {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const selection = { include: ['packages/server/src'], exclude: ['**/*.test.ts', '**/testing'] }
  const { options, fileNames } = ts.parseJsonConfigFileContent({ ...config, ...selection }, ts.sys, root)
  return ts.createProgram(fileNames, options)
}

/** All typed statements of the program, by the place that a stack trace names. */
export function readCallSites(program: ts.Program): Map<string, CallSite> {
  const checker = program.getTypeChecker()
  const sites = new Map<string, CallSite>()
  for (const name of program.getRootFileNames()) addSites(sites, checker, program.getSourceFile(name)!)
  return sites
}

function addSites(sites: Map<string, CallSite>, checker: ts.TypeChecker, file: ts.SourceFile): void {
  const visit = (node: ts.Node): void => {
    const call = helperCall(node) ?? poolQuery(node)
    if (call) {
      const { line, character } = file.getLineAndCharacterOfPosition(call.position)
      const place = `${relative(root, file.fileName)}:${line + 1}`
      const declared = checker.getTypeFromTypeNode(call.type)
      sites.set(`${pathToFileURL(file.fileName)}:${line + 1}:${character + 1}`, {
        ...call,
        place,
        checker,
        node,
        declared,
      })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
}

interface TypedCall {
  type: ts.TypeNode
  /** What V8 considers the position of the call. */
  position: number
  isColumn: boolean
}

/** many<Row>(db)`…` */
function helperCall(node: ts.Node): TypedCall | undefined {
  if (!ts.isTaggedTemplateExpression(node) || !ts.isCallExpression(node.tag)) return
  const { expression, typeArguments } = node.tag
  const name = expression.getText()
  if (!typeArguments || !rowHelpers.has(name)) return
  return { type: typeArguments[0]!, position: node.template.getStart(), isColumn: name === 'column' }
}

/** pool.query<Row>(…) */
function poolQuery(node: ts.Node): TypedCall | undefined {
  if (!ts.isCallExpression(node) || !node.typeArguments || !ts.isPropertyAccessExpression(node.expression)) return
  const { name } = node.expression
  if (name.text !== 'query') return
  return { type: node.typeArguments[0]!, position: name.getStart(), isColumn: false }
}
