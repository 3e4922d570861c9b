-- Databases of earlier versions have row security on these tables, without a policy: only the owner could use them. The
-- running server is not the owner.
alter table graphile_worker._private_jobs disable row level security;
alter table graphile_worker._private_job_queues disable row level security;
alter table graphile_worker._private_tasks disable row level security;
alter table graphile_worker._private_known_crontabs disable row level security;
