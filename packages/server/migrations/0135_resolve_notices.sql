-- A notice is withdrawn only by the opposite step, so it records which step it announced. Existing rows matter for one
-- minute only.
delete from resolve_notices;
alter table resolve_notices add column resolved boolean not null;
