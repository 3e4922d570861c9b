-- The sign-ins of one user, without reading those of all others.
create index audit_log_sign_ins on audit_log (realm_id, (target ->> 'user_id'), number)
 where action in ('signed_in', 'sign_in_failed');
