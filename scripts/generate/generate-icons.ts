import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeIcons } from './describe-icons.ts'

writeFileSync(join(import.meta.dirname, '../../packages/web/src/ui/icons.generated.ts'), describeIcons())
