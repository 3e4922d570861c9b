import { type Role, roles } from '@parley/api/common'
import { operations } from '@parley/api/operations'
import type { Actor } from '../actor.ts'
import { renewKeys } from '../world.ts'
import type { Stage } from './callers.ts'

/** A caller with a past, and one without who may do exactly the same. */
export interface Pair {
  formed: Actor
  fresh: Actor
}

let count = 0
/** `stableBody` recognizes these names. */
const freshName = () => `name${70_000 + ++count}`

const newPerson = ({ add }: Stage, role: Role) => add(freshName(), role)
const newBot = ({ add }: Stage, owner: Actor, role: Role) =>
  add(freshName(), role, { bot_type: 1, bot_owner_id: owner.id })

async function setRole({ olga }: Stage, { id }: Actor, role: Role): Promise<void> {
  await olga.does(operations.updateUser, { path: { user_id: id }, role })
}

/** A bot with the highest role, and its owner. */
async function ownerWithBot(stage: Stage): Promise<{ owner: Actor; bot: Actor }> {
  const owner = await newPerson(stage, roles.owner)
  return { owner, bot: await newBot(stage, owner, roles.owner) }
}

const demotedTo =
  (role: Role) =>
  async (stage: Stage): Promise<Pair> => {
    const { owner, bot } = await ownerWithBot(stage)
    await setRole(stage, owner, role)
    return { formed: bot, fresh: await newBot(stage, await newPerson(stage, role), role) }
  }

/** What can happen to a bot of an owner, and to its owner. */
export const histories: Record<string, (stage: Stage) => Promise<Pair>> = {
  'the bot of an owner who was made an administrator': demotedTo(roles.admin),
  'the bot of an owner who was made a moderator': demotedTo(roles.moderator),
  'the bot of an owner who was made a member': demotedTo(roles.member),
  'the bot of an owner who was made a guest': demotedTo(roles.guest),
  'an owner who was made a member': async (stage) => {
    const { owner } = await ownerWithBot(stage)
    await setRole(stage, owner, roles.member)
    const fresh = await newPerson(stage, roles.member)
    await newBot(stage, fresh, roles.member)
    return { formed: owner, fresh }
  },
  'a bot that was reactivated after the demotion of its owner': async (stage) => {
    const { owner, bot } = await ownerWithBot(stage)
    await owner.does(operations.deactivateBot, { path: { bot_id: bot.id } })
    await setRole(stage, owner, roles.member)
    await owner.does(operations.reactivateUser, { path: { user_id: bot.id } })
    await renewKeys(stage, bot)
    return { formed: bot, fresh: await newBot(stage, await newPerson(stage, roles.member), roles.member) }
  },
  'the bot of a departed owner that an administrator adopted': async (stage) => {
    const { owner, bot } = await ownerWithBot(stage)
    const admin = await newPerson(stage, roles.admin)
    await stage.olga.does(operations.deactivateUser, { path: { user_id: owner.id } })
    await admin.does(operations.reactivateUser, { path: { user_id: bot.id } })
    await renewKeys(stage, bot)
    return { formed: bot, fresh: await newBot(stage, await newPerson(stage, roles.admin), roles.admin) }
  },
  'the bot of an owner that was transferred to a member': async (stage) => {
    const { owner, bot } = await ownerWithBot(stage)
    const member = await newPerson(stage, roles.member)
    await owner.does(operations.updateBot, { path: { bot_id: bot.id }, bot_owner_id: member.id })
    await renewKeys(stage, bot)
    return { formed: bot, fresh: await newBot(stage, await newPerson(stage, roles.member), roles.member) }
  },
}
