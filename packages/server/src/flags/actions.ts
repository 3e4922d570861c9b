import { messageFlags } from '@parley/api/messages'
import { sql } from 'kysely'
import type { Tx } from '../events/transact.ts'
import { accessMessages } from '../messages/model/access.ts'
import { flagBits } from '../messages/model/flag-bits.ts'
import { received } from '../messages/model/read-state.ts'
import { column } from '../platform/db/query.ts'
import { ApiError } from '../platform/http/api-error.ts'
import type { Caller } from '../users/caller.ts'
import { markRead, markUnread } from './mark-read.ts'
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
  const changed = change.op === 'add' ? await addBit(tx, caller, change) : await removeBit(tx, caller, change)
  emitFlagChange(tx, caller, change, changed)
  return { changed, ignored: [] }
}

async function changeRead(tx: Tx, caller: Caller, change: Change): Promise<Changed> {
  if (change.op === 'add') {
    const changed = await markRead(tx, caller, change.ids)
    emitFlagChange(tx, caller, change, changed)
    return { changed, ignored: [] }
  }
  const { changed, ignored } = await markUnread(tx, caller, change.ids)
  const message_details = await readMessageDetails(tx.db, caller, changed)
  emitFlagChange(tx, caller, change, changed, { message_details })
  return { changed, ignored }
}

function emitFlagChange(tx: Tx, { id }: Caller, { op, flag }: Change, changed: number[], more: object = {}): void {
  const messages = changed.sort((a, b) => a - b)
  tx.emit({ type: 'update_message_flags', op, operation: op, flag, messages, all: false, ...more }, { users: [id] })
}

/** A message that the caller did not receive gets a flags row, marked as historical. */
async function addBit(tx: Tx, caller: Caller, { flag, ids }: Change): Promise<number[]> {
  const { id, realm_id } = caller
  const bit = sql.lit(flagBits[flag])
  await accessMessages(tx.db, caller, ids)
  return column<number>(tx.db)`
    insert into message_flags (realm_id, user_id, message_id, flags)
    select m.realm_id, ${id}, m.id, ${bit} | case when ${received(caller)} then 0 else ${sql.lit(flagBits.historical)} end
      from messages m
      left join message_flags f on f.realm_id = m.realm_id and f.user_id = ${id} and f.message_id = m.id
     where m.realm_id = ${realm_id} and m.id = any(${ids}::bigint[])
     order by m.id
    on conflict (realm_id, user_id, message_id)
    do update set flags = message_flags.flags | ${bit} where message_flags.flags & ${bit} = 0
    returning message_id`
}

/** Rows that lose their last flag are deleted: see `deleteEmpty`. */
async function removeBit(tx: Tx, { id, realm_id }: Caller, { flag, ids }: Change): Promise<number[]> {
  const bit = sql.lit(flagBits[flag])
  const isLocked = sql`f.realm_id = ${realm_id} and f.user_id = ${id} and f.message_id = locked.message_id`
  return column<number>(tx.db)`
    with locked as materialized (
      select message_id, flags & ~${bit} as flags from message_flags
       where realm_id = ${realm_id} and user_id = ${id} and message_id = any(${ids}::bigint[]) and flags & ${bit} <> 0
       order by message_id for update
    ), changed as (
      update message_flags f set flags = locked.flags from locked where ${isLocked} and locked.flags <> 0
    ), emptied as (
      delete from message_flags f using locked where ${isLocked} and locked.flags = 0
    )
    select message_id from locked`
}
