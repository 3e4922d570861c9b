const { readdirSync } = require('node:fs')
const { join } = require('node:path')

/** Arrows point one way: see docs/architecture.md. */
const features = [
  'realms',
  'pages',
  'groups',
  'emoji',
  'users',
  'second-factors',
  'sign-in',
  'profile-fields',
  'linkifiers',
  'playgrounds',
  'folders',
  'channels',
  'bots',
  'messages',
  'flags',
  'topics',
  'reactions',
  'snippets',
  'drafts',
  'scheduled',
  'widgets',
  'muting',
  'alert-words',
  'calls',
  'domains',
  'uploads',
  'retention',
  'export',
  'presence',
  'notifications',
  'push',
  'status',
  'typing',
  'webhooks',
  'invitations',
  'mail',
  'email-notifications',
  'failed-jobs',
  'queues',
  'notices',
  'accounts',
  'sign-up',
  'sign-on',
  'scim',
  'audit',
  'demo',
  'web',
]
const server = '^packages/server/src/'
/** The rest of the server, which has rules of its own below. */
const surroundings = ['boot', 'cli', 'events', 'http', 'platform', 'testing']

const folders = readdirSync(join(__dirname, 'packages/server/src'), { withFileTypes: true })
for (const { name } of folders.filter((entry) => entry.isDirectory()))
  if (![...features, ...surroundings].includes(name))
    throw new Error(`packages/server/src/${name} has no place in the line of features: add it to this file.`)

const web = '^packages/web/src/'
/** Parts of the web client that know only those named after them. The rest are features. */
const webFoundation = {
  platform: ['texts'],
  ui: ['platform'],
  rendered: ['platform'],
  session: ['platform', 'ui'],
}
const foundation = Object.entries(webFoundation).map(([folder, known]) => ({
  name: `web-${folder}-knows-no-feature`,
  comment: `${folder} may use ${known.join(' and ')}.`,
  severity: 'error',
  from: { path: `${web}${folder}/`, pathNot: '\\.test\\.ts$' },
  to: { path: web, pathNot: `${web}(${[folder, ...known].join('|')})/` },
}))

/** A feature's access, actions and queries may use features to its left only. */
const line = features.slice(0, -1).map((feature, index) => ({
  name: `${feature}-knows-only-its-left`,
  comment: `Features stand in a line; ${feature} comes before ${features.slice(index + 1).join(', ')}.`,
  severity: 'error',
  from: { path: `${server}${feature}/`, pathNot: '(routes|\\.test)\\.ts$' },
  to: { path: `${server}(${features.slice(index + 1).join('|')})/` },
}))

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'api-stands-alone',
      severity: 'error',
      from: { path: '^packages/api/' },
      to: { path: '^packages/(markdown|client|server)/' },
    },
    {
      name: 'markdown-stands-alone',
      severity: 'error',
      from: { path: '^packages/markdown/' },
      to: { path: '^packages/(api|client|server)/' },
    },
    {
      name: 'client-knows-only-api',
      severity: 'error',
      from: { path: '^packages/client/' },
      to: { path: '^packages/(markdown|server)/' },
    },
    {
      name: 'server-uses-client-only-in-tests',
      comment: 'Except the one rule about what notifies a user, which both sides apply.',
      severity: 'error',
      from: { path: server, pathNot: '(\\.test\\.ts$|/testing/)' },
      to: { path: '^packages/client/', pathNot: '^packages/client/src/notifications\\.ts$' },
    },
    {
      name: 'platform-knows-no-feature',
      severity: 'error',
      from: { path: `${server}platform/`, pathNot: '\\.test\\.ts$' },
      to: { path: `${server}(?!platform/)` },
    },
    {
      name: 'routes-are-the-top',
      comment: 'Only http/app.ts imports routes.',
      severity: 'error',
      from: { path: server, pathNot: `(${server}http/app\\.ts|\\.test\\.ts)$` },
      to: { path: `${server}.+routes\\.ts$` },
    },
    {
      name: 'routes-contain-no-sql',
      comment: 'Queries and writes live in access, actions and queries.',
      severity: 'error',
      from: { path: `${server}.+routes\\.ts$` },
      to: { path: 'node_modules/kysely' },
    },
    {
      name: 'events-know-no-feature',
      severity: 'error',
      from: { path: `${server}events/`, pathNot: '\\.test\\.ts$' },
      to: { path: `${server}(?!events/|platform/)` },
    },
    {
      name: 'features-do-not-know-the-program',
      comment: 'Only routes know http; boot and cli put everything together. Configuration is known to all.',
      severity: 'error',
      from: { path: `${server}(${features.join('|')})/`, pathNot: '(routes|\\.test)\\.ts$' },
      to: { path: `${server}(http|boot|cli)/`, pathNot: `${server}boot/config\\.ts$` },
    },
    {
      name: 'client-has-no-page',
      comment: 'packages/client also runs in programs and in the service worker.',
      severity: 'error',
      from: { path: '^packages/client/' },
      to: { path: '^(packages/web/|node_modules/react)' },
    },
    ...foundation,
    {
      name: 'web-screens-are-the-top',
      comment: 'Only app.tsx chooses screens; a screen is not a part of another one. The palette leads to all pages.',
      severity: 'error',
      from: { path: `${web}([^/]+)/`, pathNot: `${web}palette/` },
      to: {
        path: `${web}((?!ui/)[^/]+/[a-z-]*screen\\.tsx$|(inbox|recent|palette|help|organization)/)`,
        pathNot: `${web}$1/`,
      },
    },
    {
      name: 'tests-are-not-imported',
      severity: 'error',
      from: { pathNot: '(\\.test\\.ts$|/testing/|/journeys/|^bench/)' },
      to: { path: '(\\.test\\.ts$|/testing/)' },
    },
    ...line,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/web/dist/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
