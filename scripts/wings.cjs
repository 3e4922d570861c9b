/**
 * The wings of the server and the rooms in each, in the order of what may import what: a wing knows those before it, and so
 * does a room among the rooms of its wing. See docs/architecture.md.
 */
const wings = {
  platform: [],
  config: [],
  events: [],
  callers: [],
  organization: ['server-settings', 'realms', 'groups', 'domains', 'emoji', 'linkifiers', 'playgrounds', 'folders'],
  people: ['users', 'presence', 'status', 'alert-words', 'snippets', 'profile-fields'],
  conversations: [
    'channels',
    'messages',
    'topics',
    'flags',
    'reactions',
    'typing',
    'later',
    'widgets',
    'web-public',
    'uploads',
    'notices',
    'muting',
  ],
  delivery: [
    'bots',
    'mail',
    'mail-in',
    'notifications',
    'email-notifications',
    'push',
    'queues',
    'webhooks',
    'link-previews',
    'hooks',
    'calls',
    'agents',
  ],
  identity: [
    'pages',
    'passwords',
    'second-factors',
    'sessions',
    'tokens',
    'sign-in',
    'invitations',
    'accounts',
    'providers',
    'scim',
  ],
  operation: ['audit', 'export', 'retention', 'failed-jobs', 'secrets', 'certificates', 'deletion', 'import'],
}

/** What puts the wings together: routes, start-up, commands, the web client's files, the demo. */
const top = ['http', 'boot', 'cli', 'web', 'demo', 'testing']

module.exports = { wings, top }
