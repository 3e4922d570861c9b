-- The newest batch of messages that each process has stored. If the answer to a batch is lost, the process finds out here
-- whether it was stored. Numbers only grow: a batch that was given up, or overtaken, can no longer be stored.
create table send_batches (
  committer uuid primary key,
  number bigint not null,
  message_ids bigint[], -- by place in the batch, null for messages that were not stored; null: the batch was given up
  written_at timestamptz not null default now()
) with (fillfactor = 20); -- room for updates in place
