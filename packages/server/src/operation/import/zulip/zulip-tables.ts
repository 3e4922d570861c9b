import type { Archive } from '../../../platform/archives/foreign-archive.ts'
import { jsonRows } from '../json-rows.ts'
import type { Row } from '../rows/row-values.ts'
import { ReactionTable } from './reaction-table.ts'

/** Tables that are read as a whole; the large ones are kept in smaller forms. */
const wanted = new Set(
  `realm scheduledmessage defaultstream defaultstreamgroup customprofilefield customprofilefieldvalue realmemoji realmdomain
realmfilter realmplayground realmuserdefault userprofile userprofile_mirrordummy userprofile_crossrealm service botstoragedata
huddle alertword muteduser savedsnippet userstatus usertopic usergroup namedusergroup usergroupmembership groupgroupmembership
stream recipient subscription channelfolder client`
    .split(/\s+/)
    .map((name) => `zerver_${name}`),
)

/** Of the moment, about the source server, or secret. */
const ignored = new Set(
  `realmauthenticationmethod presencesequence realmexport onboardingusermessage botconfigdata onboardingstep useractivity
useractivityinterval userpresence externalauthid realmauditlog reaction submessage userhotspot missedmessageemailaddress
importedrealm`
    .split(/\s+/)
    .map((name) => `zerver_${name}`),
)

/** When a user joined or left a channel, in the numbers of the audit log. */
const joinedOrLeft = new Map<unknown, boolean>([
  [301, true],
  [302, true],
  [303, false],
])

export interface Membership {
  user: number
  channel: number
  joins: boolean
  lastMessage: number
}

/** `realm.json`. */
export class Tables {
  readonly #rows = new Map<string, Row[]>()
  readonly reactions = new ReactionTable()
  readonly submessages = new Map<number, Row[]>()
  readonly memberships: Membership[] = []
  /** Tables with rows that are not taken over. */
  readonly unknown = new Map<string, number>()

  rows(table: string): Row[] {
    return this.#rows.get(`zerver_${table}`) ?? []
  }

  has(table: string): boolean {
    return this.#rows.has(`zerver_${table}`)
  }

  add(table: string, row: Row): void {
    if (wanted.has(table)) {
      const rows = this.#rows.get(table)
      if (rows) rows.push(row)
      else this.#rows.set(table, [row])
    } else if (table === 'zerver_reaction') this.reactions.add(row)
    else if (table === 'zerver_submessage') this.#addSubmessage(row)
    else if (table === 'zerver_realmauditlog') this.#addMembership(row)
    else if (!ignored.has(table)) this.unknown.set(table, (this.unknown.get(table) ?? 0) + 1)
  }

  #addSubmessage(row: Row): void {
    const message = row.message as number
    const rows = this.submessages.get(message)
    if (rows) rows.push(row)
    else this.submessages.set(message, [row])
  }

  #addMembership({ event_type, modified_user, modified_stream, event_last_message_id }: Row): void {
    const joins = joinedOrLeft.get(event_type)
    if (joins === undefined || typeof modified_user !== 'number' || typeof modified_stream !== 'number') return
    if (typeof event_last_message_id !== 'number') return
    this.memberships.push({ user: modified_user, channel: modified_stream, joins, lastMessage: event_last_message_id })
  }
}

export async function readTables(archive: Archive): Promise<Tables> {
  const tables = new Tables()
  const file = (await archive.find('realm.json'))!
  for await (const { table, row } of jsonRows(file.stream(), 'realm.json')) tables.add(table, row)
  tables.reactions.close()
  return tables
}
