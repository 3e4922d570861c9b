-- Named sets of channels that people can choose when they join, besides the default channels.
create table default_channel_groups (
  id bigint generated always as identity,
  realm_id bigint not null references realms,
  name text not null,
  description text not null,
  primary key (realm_id, id),
  unique (realm_id, name)
);
create unique index default_channel_groups_id_key on default_channel_groups (id);

create table default_channel_group_channels (
  realm_id bigint not null,
  group_id bigint not null,
  channel_id bigint not null,
  primary key (realm_id, group_id, channel_id),
  foreign key (realm_id, group_id) references default_channel_groups (realm_id, id) on delete cascade,
  foreign key (realm_id, channel_id) references channels (realm_id, id)
);
create index default_channel_group_channels_by_channel on default_channel_group_channels (realm_id, channel_id);
