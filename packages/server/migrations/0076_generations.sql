-- One row: the servers on this database. A generation begins with a server that starts when no other of its version
-- serves; clients are told, for their server may be another than the one they registered with.
create table server_generation (
  only_row boolean primary key default true check (only_row),
  version text not null, -- of the API, as clients are told it
  generation bigint not null -- when it began, in seconds
);
insert into server_generation (version, generation) values ('', extract(epoch from now())::bigint);
