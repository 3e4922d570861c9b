import { createRequire } from 'node:module'

export { RE2JS } from 're2js'

/** Loads the libraries for formulas and code, on first use. */
export const load = createRequire(import.meta.url)
