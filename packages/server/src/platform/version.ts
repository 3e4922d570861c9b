import { readFileSync } from 'node:fs'
import { packageFile } from './installation.ts'

/** Of this Parley. */
export const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }
