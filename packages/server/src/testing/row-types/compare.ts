import ts from 'typescript'
import type { CallSite } from './call-sites.ts'
import type { Column } from './describe.ts'

/** Differences between the declared type of rows and the columns that the database returns, one sentence each. */
export function mismatches(site: CallSite, columns: Column[], nulls: string[]): string[] {
  if (isOpaque(site.declared) || (site.declared.flags & ts.TypeFlags.NonPrimitive) !== 0) return []
  const allowsMore = site.declared.getStringIndexType() !== undefined
  const declared = site.isColumn ? onlyColumn(site, columns) : properties(site)
  if (typeof declared === 'string') return [`${site.place}: ${declared}`]
  const actual = new Map(columns.map((column) => [column.name, column]))
  const missing = [...declared].filter(([name, { isOptional }]) => !isOptional && !actual.has(name))
  return [
    ...missing.map(([name]) => `${site.place}: ${name} is declared, but the statement does not return it`),
    ...(allowsMore ? [] : columns.filter(({ name }) => !declared.has(name))).map(
      ({ name }) => `${site.place}: the statement returns ${name}, but it is not declared`,
    ),
    ...columns.flatMap((column) => differences(site, declared.get(column.name), column, nulls.includes(column.name))),
  ]
}

interface Property {
  type: ts.Type
  isOptional: boolean
}

function properties({ checker, declared, node }: CallSite): Map<string, Property> {
  return new Map(
    checker.getPropertiesOfType(declared).map((symbol) => [
      symbol.name,
      {
        type: checker.getTypeOfSymbolAtLocation(symbol, node),
        isOptional: (symbol.flags & ts.SymbolFlags.Optional) !== 0,
      },
    ]),
  )
}

function onlyColumn({ declared }: CallSite, columns: Column[]): Map<string, Property> | string {
  if (columns.length !== 1) return `column() needs one column, but the statement returns ${columns.length}`
  return new Map([[columns[0]!.name, { type: declared, isOptional: false }]])
}

function differences(site: CallSite, property: Property | undefined, { name, type: actual }: Column, wasNull: boolean) {
  if (!property) return []
  const { type } = property
  const where = `${site.place}: ${name} is declared as ${site.checker.typeToString(type)}, but`
  return [
    ...(fits(site.checker, type, actual) ? [] : [`${where} the database returns ${actual}`]),
    ...(wasNull && !acceptsNull(type) ? [`${where} it was null in a test`] : []),
  ]
}

/** Types that declare nothing. */
function isOpaque({ flags }: ts.Type): boolean {
  return (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.TypeParameter)) !== 0
}

function fits(checker: ts.TypeChecker, type: ts.Type, actual: string): boolean {
  if (isOpaque(type)) return true
  if (type.isUnion()) return type.types.every((member) => isNothing(member) || fits(checker, member, actual))
  if (type.isIntersection()) return type.types.some((member) => fits(checker, member, actual))
  if (actual.endsWith('[]')) {
    const [element] = checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference) : []
    return element !== undefined && fits(checker, element, actual.slice(0, -2))
  }
  return fitsScalar(type, actual)
}

function fitsScalar(type: ts.Type, actual: string): boolean {
  const name = type.getSymbol()?.name
  if (actual === 'number') return (type.flags & ts.TypeFlags.NumberLike) !== 0
  if (actual === 'string') return (type.flags & ts.TypeFlags.StringLike) !== 0
  if (actual === 'boolean') return (type.flags & ts.TypeFlags.BooleanLike) !== 0
  if (actual === 'JSON') return name !== 'Date' && name !== 'Buffer'
  return name === actual
}

function isNothing(type: ts.Type): boolean {
  return (type.flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)) !== 0
}

function acceptsNull(type: ts.Type): boolean {
  if (isOpaque(type)) return true
  return type.isUnion() && type.types.some(({ flags }) => (flags & ts.TypeFlags.Null) !== 0)
}
