-- Set when the deletion of an organization begins. It cannot be reactivated from then on: parts of it are gone.
alter table realms add column deletion_started_at timestamptz;
