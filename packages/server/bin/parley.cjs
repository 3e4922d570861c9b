#!/usr/bin/env node
// Starts the bundle. Written for old versions of Node, so that they get one sentence instead of a parser's error.
'use strict'
const { spawnSync } = require('node:child_process')
const { join } = require('node:path')

const oldest = 24
const main = join(__dirname, '../server/main.js')

/** The Node that is installed beside Parley, if there is one. */
function pinnedNode() {
  try {
    return require.resolve(`node-${process.platform}-${process.arch}/bin/node`)
  } catch {
    return undefined
  }
}

function startWith(node) {
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {}) // the child gets them too, and decides
  const { status, signal } = spawnSync(node, [__filename, ...process.argv.slice(2)], { stdio: 'inherit' })
  process.exitCode = signal ? 1 : status
}

if (Number.parseInt(process.versions.node, 10) >= oldest) {
  import(require('node:url').pathToFileURL(main).href)
} else if (pinnedNode()) {
  startWith(pinnedNode())
} else {
  console.error(
    `Parley cannot start: it needs Node ${oldest} or newer and this is ${process.version}. Install Node ${oldest}.`,
  )
  process.exitCode = 1
}
