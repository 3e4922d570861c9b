import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseHosts, urlsOf } from './database-hosts.ts'

test('a URL with several hosts is one URL for each of them', () => {
  assert.deepEqual(urlsOf('postgres://ann:p%40ss@a:5432,b,[::1]:5433/parley?target_session_attrs=read-write'), [
    'postgres://ann:p%40ss@a:5432/parley?target_session_attrs=read-write',
    'postgres://ann:p%40ss@b/parley?target_session_attrs=read-write',
    'postgres://ann:p%40ss@[::1]:5433/parley?target_session_attrs=read-write',
  ])
  for (const url of ['postgres://a/parley?x=1,2', 'postgres:///parley', 'nonsense'])
    assert.deepEqual(urlsOf(url), [url])
})

test('after a failure the next host is tried, once for all connections that fail together', () => {
  const hosts = new DatabaseHosts('postgres://a,b/parley')
  const { current } = hosts
  for (let n = 0; n < 2; n++) hosts.failed(current)
  assert.equal(hosts.current, 'postgres://b/parley')
  hosts.failed(hosts.current)
  assert.equal(hosts.current, current)
})
