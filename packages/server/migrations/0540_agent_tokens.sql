-- Tokens of agents: the channels that they may use, and how many messages they may send in an hour.
alter table credentials
  add column agent jsonb,
  add column agent_hour timestamptz,
  add column agent_sends integer not null default 0;
