import type { RE2JS as Pattern } from 're2js'

/**
 * Browsers render only the local echo and the preview. They do without linkifiers, formulas and colours of code, whose
 * libraries are several times larger than the renderer.
 */
export function load(name: string): never {
  throw new Error(`${name} is not available in browsers.`)
}

export type RE2JS = Pattern
export const RE2JS = { compile: (pattern: string): Pattern => load(`The pattern ${pattern}`) }
