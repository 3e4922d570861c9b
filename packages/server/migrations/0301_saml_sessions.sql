-- Which session at an identity provider a session here came from, so that the two can end together.
alter table credentials add column sign_on jsonb;
create index credentials_sign_on_idx on credentials (realm_id, (sign_on ->> 'name_id')) where sign_on is not null;
