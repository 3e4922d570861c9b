import type { getNotificationHealth, notificationRecord } from '@parley/api/delivery/notifications'
import type { ResponseOf } from '@parley/api/operation'
import type { Static } from 'typebox'
import type { Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'
import { findDeadEmail } from '../mail-in/bounces/bounces.ts'

export type NotificationRecord = Static<typeof notificationRecord>

interface Owner {
  realm_id: number
  id: number
}

/** What was decided about a message for a user, and what still waits, in the order of time. */
export function readTrail(db: Db, { realm_id, id }: Owner, messageId: number): Promise<NotificationRecord[]> {
  return many<NotificationRecord>(db)`
    select way, device_id, outcome, reason, detail, extract(epoch from at)::integer as at from (
      select way, nullif(target_id, 0) as device_id, outcome, reason, detail, at from notification_trail
       where realm_id = ${realm_id} and user_id = ${id} and message_id = ${messageId}
      union all
      select 'push', d.subscription_id, 'waits', d.waits_for, null, greatest(d.due_at, now())
        from web_push_subscriptions w join web_push_deliveries d on d.realm_id = w.realm_id and d.subscription_id = w.id
       where w.realm_id = ${realm_id} and w.user_id = ${id} and d.message_id = ${messageId} and d.verb = 'show'
      union all
      select 'email', null, 'waits', coalesce(waits_for, 'batching'), null, greatest(due_at, now())
        from email_notifications
       where realm_id = ${realm_id} and user_id = ${id} and message_id = ${messageId}
    ) trail order by trail.at, way, device_id`
}

type Health = ResponseOf<typeof getNotificationHealth>

/** For administrators who may not see the address: mail servers quote it. */
export function withoutEmail({ email, errors, ...health }: Health): Health {
  return {
    ...health,
    email: email && { ...email, email: '', detail: '' },
    errors: errors.map((error) => (error.way === 'email' ? { ...error, detail: '' } : error)),
  }
}

const maxErrors = 10

/** Says nothing about messages, so that administrators may see it. */
export async function readHealth(db: Db, { realm_id, id }: Owner): Promise<Health> {
  const devices = await many<{
    device_id: number
    kind: 'web'
    endpoint: string
    registered_at: number
    succeeded_at: number | null
    failed_at: number | null
    failure: string | null
  }>(db)`
    select id as device_id, 'web' as kind, endpoint, extract(epoch from created_at)::integer as registered_at,
           extract(epoch from succeeded_at)::integer as succeeded_at, extract(epoch from failed_at)::integer as failed_at, failure
      from web_push_subscriptions where realm_id = ${realm_id} and user_id = ${id} order by id`
  const counts = await many<{ way: 'push' | 'email'; outcome: string; count: number }>(db)`
    select way, outcome, count(*) as count from notification_trail
     where realm_id = ${realm_id} and user_id = ${id} group by way, outcome order by way, outcome`
  const errors = await many<{ way: 'push' | 'email'; detail: string; at: number }>(db)`
    select way, coalesce(detail, '') as detail, extract(epoch from at)::integer as at from notification_trail
     where realm_id = ${realm_id} and user_id = ${id} and outcome = 'failed' order by at desc limit ${maxErrors}`
  return {
    devices: devices.map(({ endpoint, ...device }) => ({ ...device, service: URL.parse(endpoint)?.hostname ?? '' })),
    counts,
    email: (await findDeadEmail(db, { realmId: realm_id, userId: id })) ?? null,
    errors,
  }
}
