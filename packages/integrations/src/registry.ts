import alertmanager from '../alertmanager/integration.ts'
import asana from '../asana/integration.ts'
import azuredevops from '../azuredevops/integration.ts'
import bitbucket from '../bitbucket/integration.ts'
import buildkite from '../buildkite/integration.ts'
import circleci from '../circleci/integration.ts'
import datadog from '../datadog/integration.ts'
import discord from '../discord/integration.ts'
import forgejo from '../forgejo/integration.ts'
import gerrit from '../gerrit/integration.ts'
import gitea from '../gitea/integration.ts'
import github from '../github/integration.ts'
import githubactions from '../githubactions/integration.ts'
import gitlab from '../gitlab/integration.ts'
import grafana from '../grafana/integration.ts'
import healthchecks from '../healthchecks/integration.ts'
import jenkins from '../jenkins/integration.ts'
import jira from '../jira/integration.ts'
import json from '../json/integration.ts'
import linear from '../linear/integration.ts'
import mattermost from '../mattermost/integration.ts'
import netlify from '../netlify/integration.ts'
import newrelic from '../newrelic/integration.ts'
import notion from '../notion/integration.ts'
import openproject from '../openproject/integration.ts'
import opsgenie from '../opsgenie/integration.ts'
import pagerduty from '../pagerduty/integration.ts'
import plain from '../plain/integration.ts'
import redmine from '../redmine/integration.ts'
import sentry from '../sentry/integration.ts'
import slackIncoming from '../slack_incoming/integration.ts'
import statuspage from '../statuspage/integration.ts'
import stripe from '../stripe/integration.ts'
import teamcity from '../teamcity/integration.ts'
import travis from '../travis/integration.ts'
import trello from '../trello/integration.ts'
import uptimekuma from '../uptimekuma/integration.ts'
import uptimerobot from '../uptimerobot/integration.ts'
import zabbix from '../zabbix/integration.ts'
import zendesk from '../zendesk/integration.ts'
import type { Integration } from './integration.ts'

/** All integrations, in the order of the catalogue: those for everything first. */
export const integrations: Integration[] = [
  json,
  plain,
  slackIncoming,
  mattermost,
  discord,
  alertmanager,
  asana,
  azuredevops,
  bitbucket,
  buildkite,
  circleci,
  datadog,
  forgejo,
  gerrit,
  gitea,
  github,
  githubactions,
  gitlab,
  grafana,
  healthchecks,
  jenkins,
  jira,
  linear,
  netlify,
  newrelic,
  notion,
  openproject,
  opsgenie,
  pagerduty,
  redmine,
  sentry,
  statuspage,
  stripe,
  teamcity,
  travis,
  trello,
  uptimekuma,
  uptimerobot,
  zabbix,
  zendesk,
]

const byName = new Map(integrations.map((one) => [one.name, one]))

export function findIntegration(name: string): Integration | undefined {
  return byName.get(name)
}
