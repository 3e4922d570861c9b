import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { createBigBlueButtonCall } from '@parley/api/delivery/calls'
import { register } from '@parley/api/delivery/queues'
import { updateRealm } from '@parley/api/organization/realm'
import { buildApp } from '../../http/app.ts'
import { Actor } from '../../testing/actor.ts'
import { newWorld, type World } from '../../testing/world.ts'

const secret = 'shared with the call server'

/** A call server that accepts what has the right checksum, and the app that uses it. */
async function newCallServer(t: TestContext, { ctx }: World) {
  const created: URLSearchParams[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://calls.example')
    const isValid = checkedParams(url) && url.pathname === '/bigbluebutton/api/create'
    if (isValid) created.push(url.searchParams)
    const reply = isValid
      ? '<returncode>SUCCESS</returncode><createTime>17</createTime>'
      : '<returncode>FAILED</returncode>'
    response.end(`<response>${reply}</response>`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}/bigbluebutton`
  const configured = (key: string) =>
    buildApp({ ...ctx, config: { ...ctx.config, bigBlueButton: { url, secret: key } } })
  const [app, misconfigured] = [configured(secret), configured('another secret')]
  t.after(async () => {
    for (const one of [app, misconfigured]) await one.close()
    server.close()
  })
  return { app, misconfigured, url, created }
}

/** The parameters, if their checksum is right. */
function checkedParams({ search, pathname, searchParams }: URL): URLSearchParams | undefined {
  const query = search.slice(1).replace(/&checksum=\w+$/, '')
  const checksum = createHash('sha256')
    .update(`${pathname.split('/').at(-1)}${query}${secret}`)
    .digest('hex')
  return searchParams.get('checksum') === checksum ? searchParams : undefined
}

/** The cookie of a browser that signed in to the demo. */
async function cookieOf({ ctx, host }: World, { credentials }: Actor): Promise<string> {
  const demo = buildApp({ ...ctx, config: { ...ctx.config, mode: 'demo' } })
  const answer = await demo.inject({
    method: 'POST',
    url: '/api/v1/sessions',
    headers: {
      host,
      origin: `http://${host}`,
      'parley-client': 'web',
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: new URLSearchParams({ username: credentials.email }).toString(),
  })
  await demo.close()
  return String(answer.headers['set-cookie']).split(';')[0]!
}

test('users join a call under their name, its creator as moderator', async (t) => {
  const world = await newWorld()
  const { ann, ben, host } = world
  const { app, url: server, created } = await newCallServer(t, world)
  const { url } = await new Actor(app, ann.id, ann.name, ann.credentials).does(createBigBlueButtonCall, {
    meeting_name: 'Lunch & more',
    voice_only: true,
  })
  const joined = []
  for (const actor of [ann, ben]) {
    const answer = await app.inject({ url, headers: { host, cookie: await cookieOf(world, actor) } })
    assert.equal(answer.statusCode, 303)
    const target = new URL(answer.headers.location!)
    assert.ok(target.href.startsWith(`${server}/api/join?`))
    joined.push(checkedParams(target)!)
  }
  assert.deepEqual(
    joined.map((params) => [params.get('fullName'), params.get('role'), params.get('createTime')]),
    [
      [ann.name, 'MODERATOR', '17'],
      [ben.name, 'VIEWER', '17'],
    ],
  )
  assert.equal(new Set([...joined, ...created].map((params) => params.get('meetingID'))).size, 1)
  assert.deepEqual([created[0]!.get('name'), created[0]!.get('lockSettingsDisableCam')], ['Lunch & more', 'true'])
})

test('a call is open neither to other organizations nor to altered links, and needs a session', async (t) => {
  const [world, elsewhere] = [await newWorld(), await newWorld()]
  const { app } = await newCallServer(t, world)
  const { url } = await world.ann.does(createBigBlueButtonCall, { meeting_name: 'x' })
  const status = async (at: World, path: string) =>
    (await app.inject({ url: path, headers: { host: at.host, cookie: await cookieOf(at, at.ben) } })).statusCode
  assert.equal(await status(elsewhere, url), 404)
  for (const altered of [`${url}x`, `${url}=`, '/calls/bigbluebutton/join'])
    assert.equal(await status(world, altered), 404)
  const anonymous = await app.inject({ url, headers: { host: world.host } })
  assert.equal(anonymous.headers.location, '/login')
})

test('a call server that refuses is reported, without its secret', async (t) => {
  const world = await newWorld()
  const { misconfigured } = await newCallServer(t, world)
  const { url } = await world.ann.does(createBigBlueButtonCall, { meeting_name: 'x' })
  const headers = { host: world.host, cookie: await cookieOf(world, world.ann) }
  const { statusCode, body } = await misconfigured.inject({ url, headers })
  assert.equal(statusCode, 503)
  assert.ok(!body.includes('another secret') && !body.includes('checksum'))
})

test('without a configured server there are no calls, and organizations cannot choose it', async (t) => {
  const { ctx, olga } = await newWorld()
  const app = buildApp({ ...ctx, config: { ...ctx.config, bigBlueButton: undefined } })
  t.after(() => app.close())
  const owner = new Actor(app, olga.id, olga.name, olga.credentials)
  const refused = await owner.isRefused(createBigBlueButtonCall, { meeting_name: 'x' })
  assert.equal(refused.msg, 'BigBlueButton is not configured.')
  assert.equal((await owner.isRefused(updateRealm, { video_chat_provider: 4 })).code, 'BAD_REQUEST')
  const { realm_available_video_chat_providers: offered } = await owner.does(register, { event_types: ['realm'] })
  assert.deepEqual(Object.keys(offered!), ['disabled', 'jitsi_meet'])

  await olga.does(updateRealm, { video_chat_provider: 4 })
  const state = await olga.does(register, { event_types: ['realm'] })
  assert.deepEqual(state.realm_available_video_chat_providers!.big_blue_button, { name: 'BigBlueButton', id: 4 })
})
