-- Who left a channel after a message was sent, and who joined after it: both were found by reading all periods of the channel.
create index subscription_periods_by_end on subscription_periods (realm_id, channel_id, to_message, from_message);
drop index subscription_periods_by_channel; -- the new one begins with the same columns
