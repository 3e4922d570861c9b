-- Allowances of requests, shared by all processes. Each process counts by itself and adds its counts here every second.
-- Not logged: after a crash everybody begins with a full allowance, which does no harm.
create unlogged table rate_limits (
  key text primary key,
  allowance double precision not null, -- requests a minute
  tokens double precision not null, -- what was left at updated_at; negative if processes together allowed too much
  updated_at timestamptz not null
) with (fillfactor = 50); -- room for updates in place
