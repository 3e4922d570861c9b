import type { TestContext } from 'node:test'
import * as botsApi from '@parley/api/delivery/bots'
import * as api from '@parley/api/delivery/webhooks'
import { startBackgroundWork } from '../../boot/background-jobs.ts'
import { Actor } from '../actor.ts'
import { until } from '../until.ts'
import { newWorld, type World } from '../world.ts'
import type { Receiver } from './receiver.ts'

/** A world whose outgoing webhooks may call localhost, with running background jobs. */
export async function listeningWorld(t: TestContext): Promise<World> {
  const world = await newWorld()
  world.ctx.config.internalWebhooks = ['127.0.0.1']
  const jobs = startBackgroundWork(world.ctx)
  t.after(() => jobs.stop())
  return world
}

let made = 0

export async function newBot(world: World, owner: Actor, payload_url: string, more: object = {}) {
  const short_name = `hook${++made}`
  const full_name = `Hook ${made}`
  const { user_id, api_key } = await owner.does(botsApi.createBot, {
    full_name,
    short_name,
    bot_type: 3,
    payload_url,
    ...more,
  })
  const email = `${short_name}-bot@${world.host}`
  return new Actor(world.app, user_id, full_name, { host: world.host, email, key: api_key })
}

export async function deliveriesOf(owner: Actor, bot: Actor) {
  return (await owner.does(api.getDeliveries, { path: { bot_id: bot.id } })).deliveries
}

/** Waits until the newest delivery has the status. */
export function ended(owner: Actor, bot: Actor, status: string) {
  return until(async () => {
    const [newest] = await deliveriesOf(owner, bot)
    return newest?.status === status && newest
  })
}

export async function requestTo(receiver: Receiver, count = 1) {
  return until(() => receiver.requests[count - 1])
}
