import assert from 'node:assert/strict'
import { hashPassword } from '../identity/passwords/passwords.ts'
import { Actor, encode } from './actor.ts'
import type { World } from './world.ts'

export const ownPassword = 'correct horse battery staple'
const hash = hashPassword(ownPassword)

/** A user in a browser: authenticated by the cookie of a session, with the headers of our pages. */
class SessionActor extends Actor {
  cookie = ''

  override get headers(): Record<string, string> {
    const { host } = this.credentials
    return { host, origin: `http://${host}`, 'parley-client': 'web', cookie: this.cookie }
  }
}

/** A new session of a user, who gets a password. */
export async function signIn(world: World, { id, name, credentials }: Actor): Promise<Actor> {
  const { app, ctx, host } = world
  const password_hash = await hash
  await ctx.db.updateTable('users').set({ password_hash }).where('id', '=', id).execute()
  const actor = new SessionActor(app, id, name, credentials)
  const answer = await app.inject({
    method: 'POST',
    url: '/api/v1/sessions',
    headers: { host, origin: `http://${host}`, 'content-type': 'application/x-www-form-urlencoded' },
    payload: encode({ username: credentials.email, password: ownPassword }),
  })
  assert.equal(answer.statusCode, 200, answer.body)
  actor.cookie = (answer.headers['set-cookie'] as string[])[0]!.split(';')[0]!
  return actor
}
