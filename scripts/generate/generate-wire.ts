// Writes what the client needs of the contract at run time: npm run wire
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeWire } from './describe-wire.ts'

await writeFile(join(import.meta.dirname, '../../packages/client/src/wire/wire.generated.ts'), describeWire())
