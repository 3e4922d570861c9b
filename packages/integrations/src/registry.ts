import alertmanager from '../alertmanager/integration.ts'
import github from '../github/integration.ts'
import gitlab from '../gitlab/integration.ts'
import grafana from '../grafana/integration.ts'
import json from '../json/integration.ts'
import plain from '../plain/integration.ts'
import sentry from '../sentry/integration.ts'
import slackIncoming from '../slack_incoming/integration.ts'
import type { Integration } from './integration.ts'

/** All integrations, in the order of the catalogue: those for everything first. */
export const integrations: Integration[] = [json, plain, slackIncoming, alertmanager, github, gitlab, grafana, sentry]

const byName = new Map(integrations.map((one) => [one.name, one]))

export function findIntegration(name: string): Integration | undefined {
  return byName.get(name)
}
