import { messageFlags } from '@parley/api/conversations/messages'
import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import { loader } from '../../events/commit/loader.ts'
import type { Tx } from '../../events/transact.ts'
import { allDone } from '../../platform/db/pipelined.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { isSubscribed } from '../channels/access.ts'
import { accessMessages, type Message } from '../messages/model/access.ts'
import { flagBits } from '../messages/model/flag-bits.ts'
import { received } from '../messages/model/read-state.ts'
import { joinMessage } from '../messages/model/received.ts'
import { markRead, markUnread } from './mark-read.ts'
import type { Mark } from './marks.ts'
import { readMessageDetails } from './unread-details.ts'

const editable = ['read', 'starred', 'collapsed'] as const
type EditableFlag = (typeof editable)[number]

interface Change {
  op: 'add' | 'remove'
  flag: EditableFlag
  ids: number[]
}

export function checkFlag(flag: string): EditableFlag {
  if (editable.includes(flag as EditableFlag)) return flag as EditableFlag
  if (messageFlags.includes(flag as never)) throw new ApiError(`Flag not editable: '${flag}'`)
  throw new ApiError(`Invalid flag: '${flag}'`)
}

/** The messages whose flag changed, and the channels ignored because the caller is not subscribed. */
export interface Changed {
  changed: number[]
  ignored: number[]
}

/** Changes the flag and emits the change to the caller's clients. */
export async function changeFlag(tx: Tx, caller: Caller, change: Change): Promise<Changed> {
  if (change.flag === 'read') return changeRead(tx, caller, change)
  const { op, flag, ids } = change
  if (op === 'add') await accessMessages(tx, caller, ids)
  const marks = ids.map((message_id) => ({ user_id: caller.id, message_id, bit: flagBits[flag] }))
  const rows = await (op === 'add' ? addBit : removeBit)(tx, marks)
  const changed = rows.map(({ message_id }) => message_id)
  emitFlagChange(tx, caller, change, changed)
  return { changed, ignored: [] }
}

async function changeRead(tx: Tx, caller: Caller, change: Change): Promise<Changed> {
  const marks = { user_id: caller.id, ids: change.ids }
  if (change.op === 'add') {
    const changed = await markRead(tx, marks)
    emitFlagChange(tx, caller, change, changed)
    return { changed, ignored: [] }
  }
  const messages = await accessMessages(tx, caller, change.ids)
  const [changed, ignored] = await allDone([markUnread(tx, marks), notSubscribed(tx, caller, messages)] as const)
  const message_details = await readMessageDetails(tx, { ...marks, ids: changed })
  emitFlagChange(tx, caller, change, changed, { message_details })
  return { changed, ignored }
}

/** The channels of the messages in which the caller cannot have unread messages. */
async function notSubscribed(tx: Tx, caller: Caller, messages: Message[]): Promise<number[]> {
  const channels = [...new Set(messages.map(({ channel_id }) => channel_id).filter((id) => id !== null))]
  const subscribed = await Promise.all(channels.map(async (id) => isSubscribed(tx.db, caller, caller.id, id)))
  return channels.filter((_, index) => !subscribed[index]).sort((a, b) => a - b)
}

function emitFlagChange(tx: Tx, { id }: Caller, { op, flag }: Change, changed: number[], more: object = {}): void {
  const messages = changed.sort((a, b) => a - b)
  tx.emit({ type: 'update_message_flags', op, operation: op, flag, messages, all: false, ...more }, { users: [id] })
}

const bitColumns = { user_id: 'bigint', message_id: 'bigint', bit: 'integer' } as const

/** A message that the caller did not receive gets a flags row, marked as historical. */
const addBit = loader(bitColumns, ({ realmId }, k) => {
  const historical = sql.lit(flagBits.historical)
  const added = sql`excluded.flags & ~${historical}`
  return sql<Mark>`
    insert into message_flags (realm_id, user_id, message_id, flags)
    select m.realm_id, k.user_id, m.id,
           k.bit | case when ${received({ id: sql`k.user_id`, realm_id: realmId })} then 0 else ${historical} end
      from ${k}
      ${joinMessage(realmId, sql`k.message_id`)}
      left join message_flags f on f.realm_id = m.realm_id and f.user_id = k.user_id and f.message_id = m.id
     order by k.user_id, m.id
    on conflict (realm_id, user_id, message_id)
    do update set flags = message_flags.flags | (${added}) where message_flags.flags & ${added} = 0
    returning user_id, message_id`
})

/** Rows that lose their last flag are deleted: see `deleteEmpty`. */
const removeBit = loader(bitColumns, ({ realmId }, k) => {
  const isLocked = sql`f.realm_id = ${realmId} and f.user_id = locked.user_id and f.message_id = locked.message_id`
  return sql<Mark>`
    with locked as materialized (
      select f.user_id, f.message_id, f.flags & ~k.bit as flags
        from ${k}
        join message_flags f on f.realm_id = ${realmId} and f.user_id = k.user_id and f.message_id = k.message_id
       where f.flags & k.bit <> 0
       order by f.user_id, f.message_id for update of f
    ), changed as (
      update message_flags f set flags = locked.flags from locked where ${isLocked} and locked.flags <> 0
    ), emptied as (
      delete from message_flags f using locked where ${isLocked} and locked.flags = 0
    )
    select user_id, message_id from locked`
})
