/** Arrows point one way: see docs/architecture.md. */
const features = [
  'realms',
  'groups',
  'emoji',
  'users',
  'profile-fields',
  'linkifiers',
  'playgrounds',
  'folders',
  'channels',
  'bots',
  'messages',
  'flags',
  'reactions',
  'snippets',
  'drafts',
  'scheduled',
  'widgets',
  'muting',
  'alert-words',
  'push',
  'domains',
  'uploads',
  'retention',
  'export',
  'presence',
  'status',
  'typing',
  'webhooks',
  'mail',
  'failed-jobs',
  'queues',
  'setup',
]
const server = '^packages/server/src/'

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
      severity: 'error',
      from: { path: server, pathNot: '(\\.test\\.ts$|/testing/)' },
      to: { path: '^packages/client/' },
    },
    {
      name: 'platform-knows-no-feature',
      severity: 'error',
      from: { path: `${server}platform/`, pathNot: '\\.test\\.ts$' },
      to: { path: `${server}(?!platform/)` },
    },
    {
      name: 'routes-are-the-top',
      comment: 'Only app.ts imports routes.',
      severity: 'error',
      from: { path: server, pathNot: `${server}app\\.ts$` },
      to: { path: `${server}[a-z-]+/routes\\.ts$` },
    },
    {
      name: 'tests-are-not-imported',
      severity: 'error',
      from: { pathNot: '(\\.test\\.ts$|/testing/|^bench/)' },
      to: { path: '(\\.test\\.ts$|/testing/)' },
    },
    ...line,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
