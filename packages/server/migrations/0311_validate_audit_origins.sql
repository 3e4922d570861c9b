-- In a migration of its own: the lock of the change before is released first.
alter table audit_log validate constraint audit_log_via_check;
