-- When a directory ended the account, so that only such accounts come back with their entry.
alter table external_identities add column deactivated_at timestamptz;
