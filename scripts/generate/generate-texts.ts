// Writes the types of the web client's texts: npm run texts
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeTexts, readTexts } from './describe-texts.ts'

const target = join(import.meta.dirname, '../../packages/web/src/texts/texts.generated.ts')
await writeFile(target, describeTexts(readTexts().get('en')!))
