import { readFileSync } from 'node:fs'
import { compileTexts } from '../../texts.ts'
import { setTexts } from '../platform/i18n.ts'

/** Tests run without the build, which otherwise compiles the texts. */
const source = readFileSync(new URL('../texts/en.json', import.meta.url), 'utf8')
setTexts(compileTexts('en', JSON.parse(source)))
