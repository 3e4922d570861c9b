#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { keepTicksFast } from '../platform/keep-ticks-fast.ts'
import { usePackedLibraries } from './packed-libraries.ts'

// Halves the startup time. The cache is next to the dependencies: anyone who can write there can change the program
// anyway.
enableCompileCache(join(import.meta.dirname, '../../../../node_modules/.cache/parley'))
usePackedLibraries()
keepTicksFast()

// The reader of our output may close the pipe, like `head`.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

const { parley } = await import('./commands.ts')
await parley.parseAsync()
