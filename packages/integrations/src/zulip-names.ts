/** Names that senders know from Zulip's documentation. Those that we do not have are handled as any JSON. */
const zulipNames = new Set(
  `airbrake airbyte alertmanager ansibletower appfollow appveyor azuredevops basecamp beanstalk beeminder bitbucket bitbucket2
  bitbucket3 buildbot canarytoken circleci clickup clubhouse codeship crashlytics delighted dialogflow dropbox errbit flock
  freshdesk freshping freshstatus front gci gitea github gitlab gocd gogs gosquared grafana greenhouse groove harbor helloworld
  hellosign heroku homeassistant ifttt insping intercom jenkins jira jotform json librato lidarr linear mention netlify newrelic
  notion opencollective openproject opensearch opsgenie pagerduty papertrail patreon pingdom pivotal radarr raygun redmine
  reviewboard rhodecode rundeck semaphore sentry slack slack_incoming solano sonarqube sonarr splunk statuspage stripe taiga
  teamcity thinkst transifex travis trello updown uptimerobot wekan wordpress yo zabbix zapier zendesk`.split(/\s+/),
)

export function isZulipName(name: string): boolean {
  return zulipNames.has(name)
}
