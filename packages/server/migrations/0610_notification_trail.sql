-- What became of a notification by push or email, for 14 days. It contains no text.
create table notification_trail (
  realm_id bigint not null references realms (id),
  user_id bigint not null,
  message_id bigint not null,
  way text not null check (way in ('push', 'email')),
  target_id bigint not null default 0, -- the browser of a push
  outcome text not null check (outcome in ('sent', 'dropped', 'failed', 'removed')),
  reason text check (length(reason) <= 40), -- why the message notifies, or why not
  detail text check (length(detail) <= 200),
  at timestamptz not null default now(),
  ended_at timestamptz, -- of a push: when it was no longer to be shown
  primary key (realm_id, user_id, message_id, way, target_id, outcome),
  foreign key (realm_id, user_id) references users (realm_id, id)
);
create index notification_trail_by_time on notification_trail using brin (at);
create index notification_trail_shown on notification_trail (realm_id, message_id, user_id)
  where way = 'push' and outcome = 'sent' and ended_at is null;
create index notification_trail_shown_to on notification_trail (realm_id, user_id, message_id)
  where way = 'push' and outcome = 'sent' and ended_at is null;

alter table web_push_deliveries
  add column verb text not null default 'show' check (verb in ('show', 'remove')),
  add column waits_for text; -- why a notification is decided again later
alter table email_notifications add column waits_for text;

-- Up to where the log was searched for what ends notifications. Null: not yet.
alter table web_push_cursors add column last_event bigint;

alter table web_push_subscriptions
  add column succeeded_at timestamptz,
  add column failed_at timestamptz,
  add column failure text check (length(failure) <= 200);
