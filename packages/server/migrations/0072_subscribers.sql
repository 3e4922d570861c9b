-- Subscribers of channels, ascending: the order that clients are told them in, read from the index alone.
create index subscriptions_by_channel on subscriptions (realm_id, channel_id, user_id) where is_active;
drop index subscriptions_realm_id_channel_id_user_id_idx;

-- Those to leave out of such lists.
create index users_deactivated on users (realm_id, id) where not is_active;
