interface Operator {
  first: string
  separator: string
  named: boolean
  ifEmpty: string
  reserved: boolean
}

// RFC 6570, appendix A.
const operators = new Map<string, Operator>(
  Object.entries({
    '': { first: '', separator: ',', named: false, ifEmpty: '', reserved: false },
    '+': { first: '', separator: ',', named: false, ifEmpty: '', reserved: true },
    '#': { first: '#', separator: ',', named: false, ifEmpty: '', reserved: true },
    '.': { first: '.', separator: '.', named: false, ifEmpty: '', reserved: false },
    '/': { first: '/', separator: '/', named: false, ifEmpty: '', reserved: false },
    ';': { first: ';', separator: ';', named: true, ifEmpty: '', reserved: false },
    '?': { first: '?', separator: '&', named: true, ifEmpty: '=', reserved: false },
    '&': { first: '&', separator: '&', named: true, ifEmpty: '=', reserved: false },
  }),
)

/** Expands an RFC 6570 template. Values are strings; absent ones are omitted. */
export function expandTemplate(template: string, values: Record<string, string | undefined>): string {
  return template.replace(/\{([+#./;?&]?)([^{}]+)\}|[^{}]+/g, (literal, sign: string, names?: string) => {
    if (names === undefined) return encode(literal, true)
    const operator = operators.get(sign) as Operator
    const parts = names.split(',').flatMap((name) => expandVariable(name, operator, values))
    return parts.length ? operator.first + parts.join(operator.separator) : ''
  })
}

function expandVariable(spec: string, operator: Operator, values: Record<string, string | undefined>): string[] {
  const [name = '', length] = spec.replace(/\*$/, '').split(':')
  const value = new Map(Object.entries(values)).get(name)
  if (value === undefined) return []
  const cut = length ? Array.from(value).slice(0, Number(length)).join('') : value
  const encoded = encode(cut, operator.reserved)
  return [operator.named ? name + (encoded ? `=${encoded}` : operator.ifEmpty) : encoded]
}

function encode(text: string, reserved: boolean): string {
  const encoded = encodeURIComponent(text.toWellFormed())
  if (!reserved) return encoded.replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  // Reserved characters and percent-encoded ones are kept.
  return encoded
    .replace(/%(3A|2F|3F|23|5B|5D|40|24|26|2B|2C|3B|3D)/g, decodeURIComponent)
    .replace(/%25([\dA-F]{2})/gi, '%$1')
}

const expression = /\{([+#./;?&]?)([^{}]*)\}/g
const variable = /^((?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*)(?::[1-9]\d{0,3}|\*)?$/

/** The variables of an RFC 6570 template, without duplicates, or undefined if it is invalid. */
export function templateVariables(template: string): string[] | undefined {
  const names: string[] = []
  for (const [, , list = ''] of template.matchAll(expression)) {
    for (const spec of list.split(',')) {
      const name = variable.exec(spec)?.[1]
      if (name === undefined) return undefined
      names.push(name)
    }
  }
  const literal = template.replace(expression, '')
  return /[\s{}"<>\\^`|]/.test(literal) ? undefined : [...new Set(names)]
}
