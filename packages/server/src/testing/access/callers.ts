import { roles } from '@parley/api/common'
import { operations } from '@parley/api/operations'
import type { Actor } from '../actor.ts'
import { inChannel, leaves } from '../channels.ts'
import { restrictGuests } from '../configure-realm.ts'
import { type PopulatedWorld, populate } from '../samples.ts'
import { newWorld, renewKeys, type World } from '../world.ts'
import { spreadIds, spreadMessageIds } from './stable-bodies.ts'

/** The kinds of callers, in the order of the columns of every table. */
export const callers = {
  AN: 'no credentials',
  FK: 'the credentials of another realm',
  DE: 'deactivated',
  XR: 'owner of another realm, in that realm',
  GU: 'guest',
  LG: 'guest who sees only some users',
  OU: 'member outside of the private places',
  IN: 'member inside of them',
  EX: 'member who was inside and left',
  LA: 'member who joined later',
  MO: 'moderator',
  AD: 'administrator',
  OW: 'owner',
  BG: 'generic bot',
  BO: 'outgoing-webhook bot',
  BE: 'embedded bot',
  BI: 'incoming-webhook bot',
} as const
export type Caller = keyof typeof callers
export const columns = Object.keys(callers) as Caller[]

/** A channel (or conversation) with a message from Ann. */
export interface StageChannel {
  stream_id: number
  name: string
  message_id: number
}

/** A realm with one caller of each kind and a place for each kind of access. */
export interface Stage extends PopulatedWorld {
  actors: Record<Exclude<Caller, 'AN' | 'LG'>, Actor>
  /** Public, all users are subscribed, including guests and bots. */
  plaza: StageChannel
  /** Public, only Ann and IN are subscribed. */
  market: StageChannel
  /** Private with shared history: Ann and IN are subscribed; EX unsubscribed; LA subscribed after the message. */
  den: StageChannel
  /** Private with protected history: Ann and IN are subscribed; EX unsubscribed; LA subscribed after the message. */
  vault: StageChannel
  /** In the vault, sent after LA subscribed. */
  recent: StageChannel
  /** Archived, public; the subscribers of the plaza were subscribed. */
  ruin: StageChannel
  /** A direct message from Ann to IN. */
  direct: { message_id: number }
  queueOfAnn: string
  /** Stable names for ids and random strings. */
  known: Map<string, string>
}

export interface AccessWorld {
  main: Stage
  /** The same in a realm that limits what guests see. */
  limited: Stage
  elsewhere: World
}

export async function newAccessWorld(): Promise<AccessWorld> {
  const { ctx, ownerUrl } = await newWorld()
  await spreadIds(ownerUrl)
  const elsewhere = await newWorld()
  await spreadMessageIds(ctx.pool, elsewhere.realmId)
  const main = await setStage(elsewhere)
  const limited = await setStage(elsewhere)
  await restrictGuests(limited)
  return { main, limited, elsewhere }
}

async function setStage(elsewhere: World): Promise<Stage> {
  const bare = await newWorld()
  await spreadMessageIds(bare.ctx.pool, bare.realmId)
  const world = await populate(bare)
  const actors = await castOf(world, elsewhere)
  const places = await buildPlaces(world, actors)
  const { queue_id } = await world.ann.does(operations.register, {})
  const stage = { ...world, actors, ...places, queueOfAnn: queue_id }
  return { ...stage, known: namesOf(stage) }
}

async function castOf(world: PopulatedWorld, elsewhere: World): Promise<Stage['actors']> {
  const { add, ann, mona, adam, olga, gus } = world
  const member = (name: string) => add(name)
  const bot = (name: string, bot_type: number) => add(name, roles.member, { bot_type, bot_owner_id: ann.id })
  const gone = await member('gone')
  await olga.does(operations.deactivateUser, { path: { user_id: gone.id } })
  await renewKeys(world, gone) // so that the account is refused, not its key
  return {
    FK: elsewhere.olga,
    DE: gone,
    XR: elsewhere.olga,
    GU: gus,
    MO: mona,
    AD: adam,
    OW: olga,
    OU: await member('odo'),
    IN: await member('ines'),
    EX: await member('exeter'),
    LA: await member('later'),
    BG: await bot('robo', 1),
    BI: await bot('hook', 2),
    BO: await bot('outgo', 3),
    BE: await bot('embed', 4),
  }
}

async function buildPlaces(world: PopulatedWorld, { IN, EX, LA, OU, GU, MO, AD, OW, BG, BO, BE }: Stage['actors']) {
  const { ann, olga } = world
  const all = [ann, IN, EX, LA, OU, GU, MO, AD, OW, BG, BO, BE]
  const shared = { invite_only: true, history_public_to_subscribers: true }
  const plaza = await place(ann, 'plaza-channel', all)
  const market = await place(ann, 'market-channel', [ann, IN])
  const den = await place(ann, 'den-channel', [ann, IN, EX], shared)
  const vault = await place(ann, 'vault-channel', [ann, IN, EX], { invite_only: true })
  for (const { name } of [den, vault]) {
    await leaves(EX, name)
    await ann.does(operations.subscribe, { subscriptions: [{ name }], principals: [LA.id] })
  }
  const recent = { ...vault, message_id: await ann.sends({ channel: vault.name, topic: 'recent' }) }
  const ruin = await place(ann, 'ruin-channel', all)
  await olga.does(operations.archiveChannel, { path: { stream_id: ruin.stream_id } })
  return { plaza, market, den, vault, recent, ruin, direct: { message_id: await ann.sends({ to: [IN] }) } }
}

async function place(ann: Actor, name: string, people: Actor[], options: object = {}): Promise<StageChannel> {
  const stream_id = await inChannel(name, people, options)
  return { stream_id, name, message_id: await ann.sends({ channel: name, topic: 'old topic' }) }
}

function namesOf(stage: Omit<Stage, 'known'>): Map<string, string> {
  const { actors, ann, ben, host, realmId, queueOfAnn, stream_id, message_id } = stage
  const people = Object.entries({ ...actors, ann, ben }).filter(([caller]) => caller !== 'FK' && caller !== 'XR')
  const { plaza, market, den, vault, ruin } = stage
  const places = Object.entries({ plaza, market, den, vault, ruin })
  const ids: [string | number, string][] = [
    [host, 'host'],
    [host.replace('.', '-'), 'subdomain'],
    [queueOfAnn, 'queue'],
    [realmId, 'realm'],
    [stream_id, 'verona'],
    [message_id, 'message in verona'],
    ...people.map(([name, { id }]): [number, string] => [id, name]),
    ...places.map(([name, { stream_id: id }]): [number, string] => [id, name]),
    ...places.map(([name, { message_id: id }]): [number, string] => [id, `message in ${name}`]),
    ...places.map(([, { name }]): [string, string] => [name, 'channel name']),
    [stage.recent.message_id, 'recent message'],
    [stage.direct.message_id, 'direct message'],
  ]
  return new Map(ids.map(([id, name]) => [String(id), name]))
}

/** Another caller of the same kind, for requests that end an account or its key. */
export async function spareCaller(stage: Stage, elsewhere: World, caller: Exclude<Caller, 'AN'>): Promise<Actor> {
  const name = `spare${++spares}`
  if (caller === 'XR' || caller === 'FK') return elsewhere.add(name, roles.owner)
  const bot_type = { BG: 1, BI: 2, BO: 3, BE: 4 }[caller as string]
  if (bot_type) return stage.add(name, roles.member, { bot_type, bot_owner_id: stage.ann.id })
  const role = { GU: roles.guest, LG: roles.guest, MO: roles.moderator, AD: roles.admin, OW: roles.owner }[
    caller as string
  ]
  return caller === 'DE' ? stage.actors.DE : stage.add(name, role ?? roles.member)
}
let spares = 0
