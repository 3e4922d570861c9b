-- Invitations by email, reusable links, and sign-ups whose email is still to be confirmed. All lead to /join/{token}.
create table invitations (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  kind text not null check (kind in ('email', 'link', 'sign_up')),
  -- Null for a sign-up without an invitation.
  inviter_id bigint references users,
  -- The reusable link that a sign-up came from.
  link_id bigint references invitations on delete cascade,
  email text,
  email_key text,
  role integer not null,
  channel_ids bigint[] not null,
  group_ids bigint[] not null,
  include_default_channels boolean not null,
  notify_inviter boolean not null,
  welcome_text text,
  token_hash bytea not null unique,
  -- Encrypted, because lists show links again and emails are written later.
  token_sealed bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  -- Emails are counted, because each inviter may send a limited number per day.
  sent_at timestamptz not null default now(),
  sends integer not null default 1,
  -- When it was accepted or revoked.
  ended_at timestamptz,
  check ((email is null) = (kind = 'link')),
  check ((email is null) = (email_key is null)),
  check (inviter_id is not null or kind = 'sign_up')
);
create index on invitations (realm_id, inviter_id);
create index on invitations (realm_id, email_key);
create index on invitations (link_id);
