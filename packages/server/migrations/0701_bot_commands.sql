-- Slash commands that an outgoing webhook offers.
alter table bot_services add column commands jsonb not null default '[]';
