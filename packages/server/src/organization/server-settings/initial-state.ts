import type { Snapshot } from '../../snapshot.ts'
import { readServerSettings } from './queries.ts'

export async function maintenanceState({ db }: Snapshot): Promise<object> {
  return { server_maintenance: (await readServerSettings(db)).maintenance }
}
