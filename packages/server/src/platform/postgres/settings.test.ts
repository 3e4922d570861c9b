import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memorySettings } from './settings.ts'

const gigabyte = 1024 ** 3

test('the memory settings of the embedded database are a share of the memory, within bounds', () => {
  assert.match(memorySettings(gigabyte / 4), /^shared_buffers = 64MB$.*^effective_cache_size = 512MB$/ms)
  assert.match(memorySettings(8 * gigabyte), /^shared_buffers = 512MB$.*^effective_cache_size = 4096MB$/ms)
  assert.match(memorySettings(256 * gigabyte), /^shared_buffers = 1024MB$.*^maintenance_work_mem = 512MB$/ms)
})
