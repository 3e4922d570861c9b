import { setMaintenance } from '../../organization/server-settings/actions.ts'
import { StartupError } from '../../platform/postgres/startup-error.ts'
import { withContext } from '../open-context.ts'

const longestText = 300

export async function beginMaintenance(typed: string): Promise<void> {
  const text = typed.trim()
  if (text === '' || text.length > longestText)
    throw new StartupError(`Say in 1 to ${longestText} characters what the maintenance is for: users read it.`)
  await withContext((ctx) => setMaintenance(ctx, text))
  console.log(
    'Maintenance has begun: nothing can be changed, and background jobs wait. "parley maintenance off" ends it.',
  )
}

export async function endMaintenance(): Promise<void> {
  await withContext((ctx) => setMaintenance(ctx, null))
  console.log('Maintenance has ended.')
}
