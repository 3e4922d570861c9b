import * as subscriptions from '@parley/api/conversations/subscriptions'
import type { ParamsOf } from '@parley/api/operation'
import type { Actor } from './actor.ts'
import type { World } from './world.ts'

/** Creates a channel with these subscribers; the first is its creator. */
export async function inChannel(
  name: string,
  subscribers: Actor[],
  options: Partial<ParamsOf<typeof subscriptions.subscribe>> = {},
): Promise<number> {
  const principals = subscribers.map(({ id }) => id)
  await subscribers[0]!.does(subscriptions.subscribe, { subscriptions: [{ name }], principals, ...options })
  const { subscriptions: own } = await subscribers[0]!.does(subscriptions.getSubscriptions)
  return own.find((channel) => channel.name === name)!.stream_id
}

/** Makes a channel web-public, whatever the organization allows. */
export async function openToWeb({ ctx, realmId }: Pick<World, 'ctx' | 'realmId'>, name: string): Promise<void> {
  await ctx.db
    .updateTable('channels')
    .set({ is_web_public: true })
    .where('realm_id', '=', realmId)
    .where('name', '=', name)
    .execute()
  ctx.realms.drop(realmId)
}

export async function leaves(actor: Actor, name: string): Promise<void> {
  await actor.does(subscriptions.unsubscribe, { subscriptions: [name] })
}

export async function joins(actor: Actor, name: string): Promise<void> {
  await actor.does(subscriptions.subscribe, { subscriptions: [{ name }] })
}
