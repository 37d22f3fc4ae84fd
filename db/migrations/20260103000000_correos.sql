-- Mail on its way. Times are the database's own: several processes share the queue, and a site's clock may be moved.
create table correos (
  id bigint generated always as identity primary key,
  -- The caller's name for this message: queued again under it, it is still one message.
  idempotency_key text not null unique check (char_length(idempotency_key) between 1 and 200),
  -- Without its domain; the same at every attempt.
  message_id uuid not null default gen_random_uuid(),
  kind text not null check (kind ~ '^[a-z]{1,30}$'),
  -- 0: somebody waits for it in front of the screen.
  priority smallint not null check (priority in (0, 1)),
  recipient text not null check (recipient ~ '^[!-~]+@[!-~]+$' and char_length(recipient) <= 254),
  subject text check (subject !~ '[\r\n]'),
  body_text text,
  body_html text,
  created_at timestamptz not null default now(),
  -- Whoever takes a message moves this on: until then nobody else takes it.
  not_before timestamptz not null default now(),
  expires_at timestamptz not null,
  -- How often it was taken; also tells a late result from the current one.
  attempts integer not null default 0,
  sent_at timestamptz,
  failed_at timestamptz,
  last_error text,
  check (sent_at is null or failed_at is null),
  check (body_text is not null or sent_at is not null or failed_at is not null)
);
create index correos_pendientes on correos (priority, not_before) where sent_at is null and failed_at is null;
create index correos_por_borrar on correos (coalesce(sent_at, failed_at)) where body_text is not null;
