-- When a status ends by itself, in seconds since 1970.
alter table user_statuses add column scheduled_end_time bigint;
create index user_statuses_end on user_statuses (scheduled_end_time) where scheduled_end_time is not null;
