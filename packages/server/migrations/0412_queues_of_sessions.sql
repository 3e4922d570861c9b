-- Sessions no longer receive the keys of bots. Queues that they registered before get empty ones, too.
update queues q set options = q.options || '{"blanks_secrets": true}'
  from credentials c where c.realm_id = q.realm_id and c.id = q.credential_id and c.kind = 'session';
