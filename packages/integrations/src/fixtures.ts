import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HookRequest } from './handle.ts'

/** A request as its sender makes it, for tests and for "Send test". */
export interface Fixture {
  name: string
  request: HookRequest
}

/** The fixtures of an integration, by name. `folder` contains the folders of all integrations. */
export function readFixtures(folder: string, integration: string): Fixture[] {
  const own = join(folder, integration, 'fixtures')
  const files = readdirSync(own).filter((name) => name.endsWith('.json'))
  return files.sort().map((file) => {
    const { headers, body } = JSON.parse(readFileSync(join(own, file), 'utf8'))
    const request = { headers, body: typeof body === 'string' ? body : JSON.stringify(body) }
    return { name: file.slice(0, -'.json'.length), request }
  })
}
