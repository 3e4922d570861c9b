import type { AddressInfo } from 'node:net'
import { roles } from '@parley/api/common'
import { type Context, transactIn } from '../../context.ts'
import { createRealm } from '../../identity/accounts/create-realm.ts'
import { createUser } from '../../people/users/actions.ts'
import { Actor } from '../actor.ts'
import { newWorld } from '../world.ts'

const address = '127.0.0.1'

export interface Loopback {
  ctx: Context
  /** The URL of the realm, for external clients. */
  realm: string
  ann: Actor
  ben: Actor
}

/** A listening server, and the only realm of its database, which answers at that URL. */
export async function newLoopback(host = address): Promise<Loopback> {
  const { ctx, app } = await newWorld()
  await app.listen({ port: 0, host: address })
  const { port } = app.server.address() as AddressInfo
  const realmId = await createRealm(ctx, { string_id: 'loopback', host, name: 'Loopback' })
  const add = async (name: string) => {
    const { id, email, key } = await addUser(ctx, realmId, name)
    return new Actor(app, id, name, { host, email, key })
  }
  return { ctx, realm: `http://${host}:${port}`, ann: await add('ann'), ben: await add('ben') }
}

async function addUser(ctx: Context, realmId: number, name: string) {
  const { realm } = await ctx.realms.get(realmId)
  const params = { email: `${name}@loopback.example`, full_name: `${name} Loopback`, role: roles.member }
  const { id, email } = await transactIn(ctx, realmId, (tx) => createUser(tx, ctx.vault, realm, params))
  const row = await ctx.db.selectFrom('users').select('api_key_sealed').where('id', '=', id).executeTakeFirstOrThrow()
  return { id, email, key: ctx.vault.open(row.api_key_sealed) }
}
