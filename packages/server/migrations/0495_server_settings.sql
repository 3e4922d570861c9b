-- What the operator changes while servers run, for all of them.
create table server_settings (
  is_only boolean primary key default true check (is_only),
  maintenance text, -- null: off
  rate_limit integer, -- null: RATE_LIMIT
  backed_up_at timestamptz -- by "parley backup"; null: never
);
insert into server_settings default values;

-- Set by the operator; null: REALM_UPLOAD_QUOTA; 0: no limit.
alter table realms add column upload_quota_mib integer;
