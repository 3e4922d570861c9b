import pg from 'pg'
import { type BenchRealm, fillRealm, withContext } from './realm.ts'

/**
 * How many channels each user is subscribed to besides `everybody`; the first user, who measures, has ten times as
 * many.
 */
const channelsEach = 20

/** An organization with this many users and channels, one message per channel, and filled-in profiles. */
export async function prepareLargeRealm(
  databaseUrl: string,
  host: string,
  people: number,
  channels: number,
): Promise<BenchRealm> {
  const realm = await withContext(databaseUrl, (ctx) => fillRealm(ctx, people, host))
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  for (const statement of [addChannels, addMessages]) await client.query(statement, [realm.realmId, channels])
  await client.query(subscribe, [realm.realmId, channels, channelsEach, realm.people[0]!.id])
  for (const statement of [addPeriods, addPresence, addProfiles]) await client.query(statement, [realm.realmId])
  await client.query('vacuum analyze')
  await client.end()
  return realm
}

const addChannels = `
  insert into channels (realm_id, name, name_key, description, rendered_description, can_add_subscribers_group,
                        can_administer_channel_group, can_remove_subscribers_group, can_send_message_group, can_subscribe_group)
  select c.realm_id, 'channel ' || n, 'channel ' || n, 'What the channel is about', '<p>What the channel is about</p>',
         c.can_add_subscribers_group, c.can_administer_channel_group, c.can_remove_subscribers_group,
         c.can_send_message_group, c.can_subscribe_group
    from channels c, generate_series(3, $2::integer) n where c.realm_id = $1 and c.name = 'everybody'`

const addMessages = `
  with t as (insert into topics (realm_id, channel_id, name, name_key)
             select realm_id, id, 'hello', 'hello' from channels where realm_id = $1 limit $2 returning id, channel_id),
       n as (update realm_counters set last_message = $2 where realm_id = $1)
  insert into messages (realm_id, id, recipient_id, channel_id, topic_id, sender_id, date_sent, client, content, rendered_content)
  select $1, row_number() over (order by c.id), c.recipient_id, c.id, t.id, (select min(id) from users where realm_id = $1),
         now(), 'bench', 'hello', '<p>hello</p>'
    from channels c join t on t.channel_id = c.id`

const subscribe = `
  with c as (select id, row_number() over (order by id) as place from channels where realm_id = $1 and name like 'channel %'),
       u as (select id, row_number() over (order by id) as place from users where realm_id = $1 and not is_system_bot)
  insert into subscriptions (realm_id, user_id, channel_id, is_active, color)
  select $1, u.id, c.id, true, '#76ce90'
    from u cross join lateral generate_series(1, case when u.id = $4 then 10 * $3::integer else $3::integer end) k
    join c on c.place = 1 + (u.place * 7919 + k * 104729) % ($2::integer - 2)
  on conflict do nothing`

const addPeriods = `
  insert into subscription_periods (realm_id, user_id, channel_id, from_event, from_message)
  select realm_id, user_id, channel_id, 0, 0 from subscriptions where realm_id = $1 on conflict do nothing`

const addPresence = `
  insert into presence (realm_id, user_id, last_active_time, last_connected_time, update_id)
  select $1, id, now() - interval '1 hour', now(), 1 from users
   where realm_id = $1 and not is_system_bot and id % 3 = 0`

const addProfiles = `
  with f as (insert into profile_fields (realm_id, name, field_type, place)
             values ($1, 'Phone', 1, 1), ($1, 'Biography', 2, 2) returning id, field_type)
  insert into profile_values (realm_id, user_id, field_id, value, rendered_value)
  select $1, u.id, f.id, 'Something about person ' || u.id,
         case when f.field_type = 2 then '<p>Something about person ' || u.id || '</p>' end
    from users u, f where u.realm_id = $1 and not u.is_system_bot`
