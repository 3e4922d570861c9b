import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InternalHosts, isPublic } from './ip-addresses.ts'
import { guardedPost, OutgoingFailure } from './safe-fetch.ts'

/** Internal IP addresses in every notation. */
const disguised = [
  'http://127.0.0.1/',
  'http://127.1/',
  'http://127.255.255.254/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://017700000001/',
  'http://①②⑦.⓪.⓪.①/',
  'http://0/',
  'http://0.0.0.0/',
  'http://localhost/',
  'http://LOCALHOST/',
  'http://localhost./',
  'http://[::1]/',
  'http://[::]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::ffff:0:127.0.0.1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[64:ff9b:1::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[2002:a00:1::1]/',
  'http://[2001:0:7f00:1::]/',
  'http://[fe80::1]/',
  'http://[fec0::1]/',
  'http://[fc00::1]/',
  'http://[fd00:ec2::254]/',
  'http://[ff02::1]/',
  'http://[100::1]/',
  'http://[2001:db8::1]/',
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/',
  'http://192.0.0.8/',
  'http://192.0.2.1/',
  'http://198.18.0.1/',
  'http://198.51.100.1/',
  'http://203.0.113.1/',
  'http://100.64.0.1/',
  'http://100.100.100.200/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[::ffff:169.254.169.254]/',
  'http://168.63.129.16/',
  'http://224.0.0.1/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
]

for (const url of disguised) {
  test(`${url} is not reached`, async () => {
    const internal = new InternalHosts([])
    await assert.rejects(guardedPost({ url, headers: {}, body: '', internal }), (error: OutgoingFailure) => {
      assert.ok(error instanceof OutgoingFailure)
      assert.equal(error.message, 'The address is not on the public internet.')
      return !error.again
    })
  })
}

test('public IP addresses are recognized', () => {
  for (const address of ['1.1.1.1', '93.184.216.34', '2606:4700:4700::1111', '2a00:1450:4001::200e', '::ffff:8.8.8.8'])
    assert.equal(isPublic(address), true, address)
})

test('an operator may allow IP addresses, networks and host names', () => {
  const internal = new InternalHosts(['10.1.0.0/16', '192.168.7.7', 'fd00::/8', 'Build.Example'])
  assert.ok(internal.admit('anything', '10.1.2.3') && internal.admit('anything', '::ffff:10.1.2.3'))
  assert.ok(internal.admit('anything', '192.168.7.7') && internal.admit('anything', 'fd12::1'))
  assert.ok(internal.admit('build.example', '172.16.0.1'))
  for (const address of ['10.2.0.1', '192.168.7.8', '127.0.0.1', '::1']) assert.ok(!internal.admit('x', address))
})
