import type pg from 'pg'

/** The recipient of a direct conversation, which is made where it does not exist. `userIds` are sorted. */
export async function ensureConversation(client: pg.ClientBase, realmId: number, userIds: number[]): Promise<number> {
  const { rows } = await client.query<{ recipient_id: number }>(
    `with made as (
       insert into direct_conversations (realm_id, user_ids) values ($1, $2) on conflict do nothing returning recipient_id
     ), participants as (
       insert into direct_participants (realm_id, user_id, recipient_id) select $1, u, recipient_id from made, unnest($2::bigint[]) u
     )
     select recipient_id from made union all
     select recipient_id from direct_conversations where realm_id = $1 and user_ids = $2`,
    [realmId, userIds],
  )
  return Number(rows[0]!.recipient_id)
}
