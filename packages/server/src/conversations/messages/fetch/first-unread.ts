import { largestAnchor } from '@parley/api/conversations/messages'
import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import type { Fragment } from '../../../platform/db/fragment.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { maybeOne } from '../../../platform/db/query.ts'
import {
  conversationJoin,
  conversationsOf,
  exceptionsBelowFloor,
  isAllMuted,
  isMuted,
  isUnread,
  unreadMessages,
} from '../model/read-state.ts'
import type { Narrow } from './narrow.ts'

/** The oldest unread message of the narrow that is not muted. Direct conversations cannot be muted. */
export async function findFirstUnread(db: Db, caller: Caller, narrow: Narrow): Promise<number> {
  const { where, from, isDirect } = narrow
  if (!where) return largestAnchor
  const fits = isDirect ? where : sql`${where} and not ${isMuted(caller)}`
  const row = await maybeOne<{ id: number }>(db)`${unreadIn(narrow)(caller, from, fits)} order by id limit 1`
  return row?.id ?? largestAnchor
}

/** The fastest way to find the unread messages of a narrow, the first one in any case. */
function unreadIn({ isFlagged, isChannelOrTopic, isEverything }: Narrow) {
  if (isFlagged) return unreadAmongFew
  return isChannelOrTopic || isEverything ? firstOfConversations : unreadAmongAll
}

/** Reads all messages that fit. */
function unreadAmongFew(caller: Caller, from: Fragment, fits: Fragment): Fragment {
  return sql`select m.id from ${from} ${conversationJoin(caller)} where ${fits} and ${isUnread(caller)}`
}

/** Most unread messages fit, so reading each conversation up to the first that does takes little. */
function firstOfConversations(caller: Caller, from: Fragment, fits: Fragment): Fragment {
  return sql`
    select u.id from (${conversationsOf(caller)}) r
     cross join lateral (
       select m.id from ${from}
        where m.recipient_id = r.recipient_id and m.id > r.floor and ${isUnread(caller)} and ${fits}
        order by m.id limit 1) u
     where not ${isAllMuted(caller)}
    union all
    select u.id from (${exceptionsBelowFloor(caller)}) u
     cross join lateral (select 1 from ${from} where m.id = u.id and ${fits} offset 0) fits`
}

/** Scans all unread messages from the oldest: few may fit, and it is not known in which conversations. */
function unreadAmongAll(caller: Caller, from: Fragment, fits: Fragment): Fragment {
  return sql`
    select u.id from (select id from (${unreadMessages(caller)}) every order by id offset 0) u
     cross join lateral (select 1 from ${from} where m.id = u.id and ${fits} offset 0) fits`
}
