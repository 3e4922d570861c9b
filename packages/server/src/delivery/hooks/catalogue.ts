import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { IntegrationObject } from '@parley/api/delivery/hooks'
import { type Fixture, readFixtures } from '@parley/integrations/fixtures'
import type { Integration } from '@parley/integrations/integration'
import { findIntegration, integrations } from '@parley/integrations/registry'
import { ApiError } from '../../platform/http/api-error.ts'
import { integrationsFolder } from '../../platform/installation.ts'

let catalogue: IntegrationObject[] | undefined

/** What ships with us: read once, nothing is loaded from outside. */
export function readCatalogue(): IntegrationObject[] {
  catalogue ??= integrations.map(integrationObject)
  return catalogue
}

function integrationObject({ name, title, category, summary, signature, events }: Integration): IntegrationObject {
  const read = (file: string) => readFileSync(join(integrationsFolder, name, file), 'utf8')
  return {
    name,
    title,
    category,
    summary,
    icon: read('icon.svg'),
    setup: read('setup.md'),
    is_signed: signature !== undefined,
    events: Object.entries(events).map(([event, one]) => ({ name: event, title: one.title })),
  }
}

export function accessIntegration(name: string): Integration {
  const found = findIntegration(name)
  if (!found) throw new ApiError(`There is no integration '${name}'.`)
  return found
}

/** An example of what the sender sends; of an event, if one is named. */
export function exampleOf(name: string, event?: string): Fixture {
  const fixtures = readFixtures(integrationsFolder, name)
  const chosen = event === undefined ? fixtures[0] : fixtures.find(({ name: one }) => one === event)
  if (!chosen)
    throw new ApiError(`There is no example '${event}'. Examples: ${fixtures.map((one) => one.name).join(', ')}`)
  return chosen
}
