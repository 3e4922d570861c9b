import type { ParamsOf } from '@parley/api/operation'
import * as subscriptions from '@parley/api/subscriptions'
import type { Actor } from './actor.ts'

/** Makes a channel of this name; everybody named comes in, the first being its creator. */
export async function inChannel(
  name: string,
  people: Actor[],
  options: Partial<ParamsOf<typeof subscriptions.subscribe>> = {},
): Promise<number> {
  const principals = people.map(({ id }) => id)
  await people[0]!.does(subscriptions.subscribe, { subscriptions: [{ name }], principals, ...options })
  const { subscriptions: own } = await people[0]!.does(subscriptions.getSubscriptions)
  return own.find((channel) => channel.name === name)!.stream_id
}

export async function leaves(actor: Actor, name: string): Promise<void> {
  await actor.does(subscriptions.unsubscribe, { subscriptions: [name] })
}

export async function joins(actor: Actor, name: string): Promise<void> {
  await actor.does(subscriptions.subscribe, { subscriptions: [{ name }] })
}
