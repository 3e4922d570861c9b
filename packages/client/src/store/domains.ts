import type { QueueEvent } from '@parley/api/events'
import type { DomainState, Slice, State } from './state.ts'

type Domain = DomainState['realm_domains'][number]

/** The email domains that new accounts may have. */
export class Domains implements Slice {
  readonly events = ['realm_domains'] as const
  readonly fields = ['realm_domains'] as const
  readonly byName = new Map<string, Domain>()

  constructor({ realm_domains = [] }: State) {
    for (const one of realm_domains) this.byName.set(one.domain, one)
  }

  apply(event: QueueEvent): void {
    if (event.type !== 'realm_domains') return
    if (event.op === 'remove') this.byName.delete(event.domain)
    else this.byName.set(event.realm_domain.domain, event.realm_domain)
  }

  snapshot(): DomainState {
    return { realm_domains: [...this.byName.values()] }
  }
}
