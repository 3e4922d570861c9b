import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import { updateRealm } from '@parley/api/organization/realm'
import { transactIn } from '../../context.ts'
import { smtpMailer } from '../../delivery/mail/mailer.ts'
import { buildApp } from '../../http/app.ts'
import { createUser } from '../../people/users/actions.ts'
import { withoutChallenges } from '../../testing/peers/passkey.ts'
import { newWorld } from '../../testing/world.ts'
import { hashPassword } from '../passwords/passwords.ts'

const world = await newWorld()
const { ctx, realmId, host } = world
const existing = `paula@${host}`
const missing = `nobody@${host}`

test('neither the answer nor its time reveals whether an account exists', async (t) => {
  const { realm } = await ctx.realms.get(realmId)
  const password_hash = await hashPassword('correct horse')
  const account = { email: existing, full_name: 'Paula', role: roles.member, password_hash }
  await transactIn(ctx, realmId, (tx) => createUser(tx, ctx.vault, realm, account))
  await world.olga.does(updateRealm, { invite_required: false, emails_restricted_to_domains: false })
  const mailer = smtpMailer('smtp://127.0.0.1:9', 'Parley <noreply@parley.example>')
  const app = buildApp({ ...ctx, mailer })
  t.after(async () => {
    await app.close()
    mailer.close()
  })

  let asked = 0
  /** The status, the text without the email, and the milliseconds of a request, each from another IP address. */
  async function ask(url: string, form: Record<string, string>, email: string) {
    const start = performance.now()
    const { statusCode, body } = await app.inject({
      method: 'POST',
      url,
      headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(form).toString(),
      remoteAddress: `10.1.${asked >> 8}.${asked++ % 256}`,
    })
    return {
      time: performance.now() - start,
      answer: `${statusCode} ${withoutChallenges(body.replaceAll(email, 'the email'))}`,
    }
  }

  const requests: Record<string, (email: string) => Record<string, string>> = {
    '/api/v1/fetch_api_key': (username) => ({ username, password: 'wrong' }),
    '/login': (username) => ({ username, password: 'wrong' }),
    '/reset': (email) => ({ email }),
    '/join': (email) => ({ email }),
  }
  for (const [url, form] of Object.entries(requests))
    await t.test(url, async () => {
      const answers: Record<string, string[]> = { [existing]: [], [missing]: [] }
      const times: Record<string, number[]> = { [existing]: [], [missing]: [] }
      const ratio = () => {
        const [one, other] = Object.values(times).map((list) => list.toSorted((a, b) => a - b)[1]!)
        return one! / other!
      }
      // What other processes cost is gone after some rounds; a difference that tells something stays.
      for (let round = 0; round < 5 || (round < 40 && !isAlike(ratio())); round++)
        for (const email of [existing, missing]) {
          const { time, answer } = await ask(url, form(email), email)
          times[email]!.push(time)
          answers[email]!.push(answer)
        }
      assert.deepEqual(answers[existing], answers[missing])
      assert.ok(isAlike(ratio()), `the times differ by ${ratio().toFixed(2)}`)
    })
})

const isAlike = (ratio: number) => ratio > 0.4 && ratio < 2.5
