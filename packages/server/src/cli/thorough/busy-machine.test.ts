import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { runCommand } from '../../testing/command.ts'
import { createDatabase } from '../../testing/world.ts'

/** Longer than a request to the server may wait for a connection. */
const lateMilliseconds = 3300

/** The URL of a database that is late to answer every new connection. */
async function lateDatabase(t: TestContext): Promise<string> {
  const url = new URL(await createDatabase())
  const target = { path: `${url.searchParams.get('host')}/.s.PGSQL.${url.port || 5432}` }
  const server = createServer((client) => {
    client.on('error', () => {})
    setTimeout(() => {
      const upstream = connect(target).on('error', () => {})
      client.pipe(upstream).pipe(client)
    }, lateMilliseconds)
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  url.searchParams.delete('host')
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return url.toString()
}

test('a command waits for a database that is late, as on a busy machine', async (t) => {
  const { code, output } = await runCommand(['realm', 'list'], { env: { DATABASE_URL: await lateDatabase(t) } })

  assert.equal(code, 0, output)
  assert.match(output, /There is no organization yet/)
})
