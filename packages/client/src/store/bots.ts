import type { QueueEvent } from '@parley/api/events'
import type { BotState, Slice, State } from './state.ts'

type Bot = BotState['realm_bots'][number]

/** The bots that the viewer manages. */
export class Bots implements Slice {
  readonly events = ['realm_bot', 'realm_user'] as const
  readonly fields = ['realm_bots'] as const
  readonly byId: Map<number, Bot>

  constructor({ realm_bots = [] }: State) {
    this.byId = new Map(realm_bots.map((bot) => [bot.user_id, bot]))
  }

  apply(event: QueueEvent): void {
    if (event.type !== 'realm_bot') return
    const { user_id } = event.bot
    const known = this.byId.get(user_id)
    if (event.op === 'add') this.byId.set(user_id, event.bot)
    else if (event.op === 'delete') this.byId.delete(user_id)
    else if (known) this.byId.set(user_id, { ...known, ...event.bot })
  }

  snapshot(): BotState {
    return { realm_bots: [...this.byId.values()].sort((a, b) => a.user_id - b.user_id) }
  }
}
