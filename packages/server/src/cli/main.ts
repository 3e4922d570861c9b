#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { compileCacheFolder } from '../platform/installation.ts'

// Halves the startup time. The cache is next to the dependencies: anyone who can write there can change the program
// anyway.
if (compileCacheFolder) enableCompileCache(compileCacheFolder)

// The reader of our output may close the pipe, like `head`.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

const { parley } = await import('./commands.ts')
await parley.parseAsync()
