-- Who hears an event is decided by the role that somebody had then: the few events that changed a role are looked up.
create index events_former_roles on events (realm_id, seq) where internal ? 'former_roles';
