import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/organization/organization'
import { getOwnUser } from '@parley/api/people/users'
import { getServerSettings } from '@parley/api/server'
import sharp from 'sharp'
import { sendMail } from '../../identity/accounts/account-emails-job.ts'
import { column } from '../../platform/db/query.ts'
import type { Job } from '../../platform/jobs/tasks.ts'
import { isRefusedUpload, uploads } from '../../testing/files.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { manifestOf } from '../../web/manifest.ts'

const red = { width: 300, height: 30, channels: 3, background: 'red' } as const
const content = await sharp({ create: red }).png().toBuffer()
const file = { content, filename: 'x.png' }

test('an icon is shown as a square to everyone, on the sign-in page, and large on home screens', async () => {
  const { olga, ann, app, host, ctx, realmId } = await newWorld()
  const { icon_url } = await uploads(app, olga, api.uploadRealmIcon, {}, file)
  const { rawPayload } = await app.inject({ url: String(icon_url), headers: { host } })
  assert.deepEqual(
    [(await sharp(rawPayload).metadata()).width, (await sharp(rawPayload).metadata()).height],
    [100, 100],
  )
  assert.match((await app.inject({ url: '/login', headers: { host } })).body, new RegExp(String(icon_url)))
  const { icons } = manifestOf((await ctx.realms.get(realmId)).realm)
  const { src, sizes } = icons[0] as { src: string; sizes: string }
  const large = await sharp((await app.inject({ url: src, headers: { host } })).rawPayload).metadata()
  assert.deepEqual([icons.length, `${large.width}x${large.height}`], [1, sizes])
  assert.equal((await ann.does(getServerSettings)).realm_icon, icon_url)
  await olga.does(api.deleteRealmIcon)
  assert.notEqual((await ann.does(getServerSettings)).realm_icon, icon_url)
})

test('events contain the new images', async () => {
  const { adam, ann, gus, app } = await newWorld()
  await verifyEvents([ann, gus], async () => {
    await uploads(app, adam, api.uploadRealmIcon, {}, file)
    await uploads(app, adam, { ...api.uploadRealmLogo, path: '/realm/logo?night=true' }, {}, file)
    await uploads(app, adam, api.uploadRealmLogo, {}, file)
  })
  await verifyEvents([ann, gus], () => adam.does(api.deleteRealmLogo, { night: true }))
})

test('a file that is no image is refused, and so are users who are no administrators', async () => {
  const { adam, mona, app } = await newWorld()
  const text = { content: Buffer.from('x'), filename: 'x.png' }
  assert.equal((await isRefusedUpload(app, adam, api.uploadRealmIcon, {}, text)).code, 'BAD_IMAGE')
  assert.equal((await isRefusedUpload(app, mona, api.uploadRealmLogo, {}, file)).code, 'UNAUTHORIZED_PRINCIPAL')
})

/** The path of the link in the email to the owner. */
async function reactivationLink({ ctx, olga }: World): Promise<string> {
  const [job] = await column<Job<'send_mail'>>(ctx.db)`
    select payload from jobs.jobs where payload ->> 'user_id' = ${String(olga.id)} order by id desc limit 1`
  const texts: string[] = []
  const send = async (_to: object, { text }: { text: string }) => void texts.push(text)
  await sendMail({ ...ctx, mailer: { send, close: () => {} } }, job!)
  return new URL(/https?:\S+\/reactivate\/\S+/.exec(texts[0]!)![0]).pathname
}

test('an owner deactivates the organization: nobody can use it until the emailed link is followed', async () => {
  const world = await newWorld()
  const { olga, adam, ann, app, host } = world
  assert.equal((await adam.isRefused(api.deactivateRealm)).code, 'UNAUTHORIZED_PRINCIPAL')
  await ann.registers()
  await olga.does(api.deactivateRealm)
  for (const user of [ann, olga])
    assert.match((await user.isRefused(getOwnUser)).msg, /organization has been deactivated/)
  const url = await reactivationLink(world)
  assert.match((await app.inject({ url, headers: { host } })).body, /Reactivate Test\?/)
  assert.equal((await ann.isRefused(getOwnUser)).code, 'UNAUTHORIZED')
  assert.equal((await app.inject({ method: 'POST', url, headers: { host } })).statusCode, 200)
  assert.equal((await ann.receives('realm'))[0]!.op, 'deactivated')
})

test('a link undoes only its own deactivation', async () => {
  const world = await newWorld()
  const { olga, app, host } = world
  const follow = (url: string) => app.inject({ method: 'POST', url, headers: { host } })
  await olga.does(api.deactivateRealm)
  const first = await reactivationLink(world)
  await follow(first)
  assert.equal((await follow(first)).statusCode, 404)
  await olga.does(api.deactivateRealm)
  assert.equal((await follow(first)).statusCode, 404)
  assert.equal((await follow(await reactivationLink(world))).statusCode, 200)
})
