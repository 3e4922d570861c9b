-- Which request a confirmation link stands for: a later one makes the links of earlier ones worthless.
alter table email_changes add column id bigint generated always as identity unique;
