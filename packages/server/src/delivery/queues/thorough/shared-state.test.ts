import { test } from 'node:test'
import { allCapabilities } from '@parley/client/wire/events'
import type { Actor } from '../../../testing/actor.ts'
import { callable, populate, sampleOf } from '../../../testing/samples.ts'
import { differNowhere } from '../../../testing/verify-events.ts'
import { newWorld, type World } from '../../../testing/world.ts'

const clients = [
  { client_capabilities: allCapabilities, include_subscribers: true, client_gravatar: true, slim_presence: true },
  { client_capabilities: { notification_settings_null: true, archived_channels: true }, client_gravatar: false },
]

const statesOf = async (viewers: Actor[]) => {
  const states = []
  for (const viewer of viewers) for (const client of clients) states.push(await viewer.registers(client))
  return states
}

async function cachedEqualsLoaded({ ctx, olga, mona, ann, gus }: World, after: string): Promise<void> {
  const viewers = [olga, mona, ann, gus]
  const cached = await statesOf(viewers)
  ctx.sharedState.clear()
  const loaded = await statesOf(viewers)
  for (const [index, state] of cached.entries()) differNowhere(state, loaded[index]!, `cached state after ${after}`)
}

/** After these, nobody can register. */
const last = ['deactivateRealm', 'deactivateOwnUser']

test('after every operation, a registration from the cache equals one that loads everything', async () => {
  let world = await populate(await newWorld())
  await cachedEqualsLoaded(world, 'nothing')
  for (const operation of callable().filter(({ method, name }) => method !== 'GET' && !last.includes(name))) {
    const { by, path, params } = await sampleOf(operation, world)
    const { status } = await by.request(operation, { path, ...params })
    // An operation that an earlier one made impossible gets a world of its own.
    if (status !== 200) {
      world = await populate(await newWorld())
      await statesOf([world.olga, world.mona, world.ann, world.gus])
      const again = await sampleOf(operation, world)
      await again.by.request(operation, { path: again.path, ...again.params })
    }
    await cachedEqualsLoaded(world, operation.name)
  }
})
