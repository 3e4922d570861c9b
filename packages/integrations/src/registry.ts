import alertmanager from '../alertmanager/integration.ts'
import azuredevops from '../azuredevops/integration.ts'
import bitbucket from '../bitbucket/integration.ts'
import buildkite from '../buildkite/integration.ts'
import circleci from '../circleci/integration.ts'
import datadog from '../datadog/integration.ts'
import forgejo from '../forgejo/integration.ts'
import gitea from '../gitea/integration.ts'
import github from '../github/integration.ts'
import gitlab from '../gitlab/integration.ts'
import grafana from '../grafana/integration.ts'
import healthchecks from '../healthchecks/integration.ts'
import jenkins from '../jenkins/integration.ts'
import jira from '../jira/integration.ts'
import json from '../json/integration.ts'
import linear from '../linear/integration.ts'
import netlify from '../netlify/integration.ts'
import newrelic from '../newrelic/integration.ts'
import opsgenie from '../opsgenie/integration.ts'
import pagerduty from '../pagerduty/integration.ts'
import plain from '../plain/integration.ts'
import sentry from '../sentry/integration.ts'
import slackIncoming from '../slack_incoming/integration.ts'
import statuspage from '../statuspage/integration.ts'
import stripe from '../stripe/integration.ts'
import uptimekuma from '../uptimekuma/integration.ts'
import uptimerobot from '../uptimerobot/integration.ts'
import type { Integration } from './integration.ts'

/** All integrations, in the order of the catalogue: those for everything first. */
export const integrations: Integration[] = [
  json,
  plain,
  slackIncoming,
  alertmanager,
  azuredevops,
  bitbucket,
  buildkite,
  circleci,
  datadog,
  forgejo,
  gitea,
  github,
  gitlab,
  grafana,
  healthchecks,
  jenkins,
  jira,
  linear,
  netlify,
  newrelic,
  opsgenie,
  pagerduty,
  sentry,
  statuspage,
  stripe,
  uptimekuma,
  uptimerobot,
]

const byName = new Map(integrations.map((one) => [one.name, one]))

export function findIntegration(name: string): Integration | undefined {
  return byName.get(name)
}
