const { readdirSync } = require('node:fs')
const { join } = require('node:path')

const { wings, top } = require('./scripts/wings.cjs')

/** Arrows point one way: see docs/architecture.md. */
const server = '^packages/server/src/'
const names = Object.keys(wings)

const foldersIn = (path) =>
  readdirSync(join(__dirname, 'packages/server/src', path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)

function requirePlaces(found, known, where) {
  const lost = found.find((name) => !known.includes(name))
  if (lost) throw new Error(`${lost} has no place among the ${where}: add it to scripts/wings.cjs.`)
}
requirePlaces(foldersIn('.'), [...names, ...top], 'wings of the server')
for (const [wing, rooms] of Object.entries(wings))
  if (rooms.length > 0) requirePlaces(foldersIn(wing), rooms, `rooms of ${wing}`)

/** Everything but routes and tests, which may know all. */
const inside = '(routes|\\.test)\\.ts$'

/** The files beside the wings: what a running server consists of. */
const machinery = {
  name: 'machinery-knows-no-program',
  comment: 'Parts below the callers get what they need as arguments.',
  severity: 'error',
  from: { path: `${server}(platform|events|config)/`, pathNot: '\\.test\\.ts$' },
  to: { path: `${server}[^/]+\\.ts$` },
}

const wingLine = names.map((wing, index) => ({
  name: `${wing}-knows-only-wings-before-it`,
  comment: `${wing} comes before ${[...names.slice(index + 1), ...top].join(', ')}.`,
  severity: 'error',
  from: { path: `${server}${wing}/`, pathNot: inside },
  to: { path: `${server}(${[...names.slice(index + 1), ...top].join('|')})/` },
}))

const roomLine = Object.entries(wings).flatMap(([wing, rooms]) =>
  rooms.slice(0, -1).map((room, index) => ({
    name: `${wing}-${room}-knows-only-rooms-before-it`,
    comment: `In ${wing}, ${room} comes before ${rooms.slice(index + 1).join(', ')}.`,
    severity: 'error',
    from: { path: `${server}${wing}/${room}/`, pathNot: inside },
    to: { path: `${server}${wing}/(${rooms.slice(index + 1).join('|')})/` },
  })),
)

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
      name: 'integrations-stand-alone',
      severity: 'error',
      from: { path: '^packages/integrations/' },
      to: { path: '^packages/(api|markdown|client|web|server)/' },
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
      to: { path: '^packages/client/', pathNot: '^packages/client/src/messages/(notifications|quiet-hours)\\.ts$' },
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
        path: `${web}((?!ui/).*screen\\.tsx$|(inbox|recent|palette|help|organization)/)`,
        pathNot: `${web}$1/`,
      },
    },
    {
      name: 'tests-are-not-imported',
      severity: 'error',
      from: { pathNot: '(\\.test\\.ts$|/testing/|/(journeys|gallery)/|^bench/)' },
      to: { path: '(\\.test\\.ts$|/testing/)' },
    },
    machinery,
    ...wingLine,
    ...roomLine,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/web/dist/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
