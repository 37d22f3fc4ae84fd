-- Accounts that can be trusted: sessions, one-time codes, limits on attempts, and who did what.

alter table profiles
  -- A journalist's outlet, and until when the accreditation holds (by the site's clock); null: no end.
  add column medio text check (char_length(medio) between 1 and 120),
  add column vigente_hasta timestamptz,
  -- Withdrawn by the organisers: the account stays in the log's memory and opens nothing.
  add column baja_at timestamptz;

-- What Google says of a voter; its tokens are not kept.
alter table accounts
  add column access_token text check (access_token is null),
  add column refresh_token text check (refresh_token is null),
  add column id_token text check (id_token is null),
  add column access_token_expires_at timestamptz,
  add column refresh_token_expires_at timestamptz,
  add column scope text;

create table sessions (
  id text primary key,
  token text not null unique,
  user_id text not null references profiles (id) on delete cascade,
  -- By the machine's clock; `vence_at` by the site's, which a rehearsal moves. The earlier one ends the session.
  expires_at timestamptz not null,
  vence_at timestamptz not null,
  ip_address text,
  user_agent text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index sessions_user on sessions (user_id);
create index sessions_expired on sessions (expires_at);

create table verifications (
  id text primary key,
  -- Unique: one code in force for an address.
  identifier text not null unique,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index verifications_expired on verifications (expires_at);

-- A password belongs to an organiser or a journalist; an account without a role never gets one.
create function clave_con_rol() returns trigger language plpgsql as $$
begin
  if new.password is null then return new; end if;
  -- Locked: the role cannot go while the password comes.
  perform 1 from profiles where id = new.user_id and role is not null and baja_at is null for share;
  if not found then
    raise exception 'account % has no role, and can have no password', new.user_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger clave_con_rol before insert or update of password, user_id on accounts
  for each row execute function clave_con_rol();

-- Whoever changes a role, withdraws an account or sets a password ends all its sessions; without a role, the password goes too.
create function fin_de_sesiones() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'profiles' then
    if new.role is null or new.baja_at is not null then
      delete from accounts where user_id = new.id and provider_id = 'credential';
    end if;
    delete from sessions where user_id = new.id;
  else
    delete from sessions where user_id = new.user_id;
  end if;
  return null;
end $$;
create trigger fin_de_sesiones after update on profiles for each row
  when (old.role is distinct from new.role or old.baja_at is distinct from new.baja_at or old.email <> new.email)
  execute function fin_de_sesiones();
create trigger fin_de_sesiones after update of password on accounts for each row
  when (old.password is distinct from new.password)
  execute function fin_de_sesiones();

-- How often somebody tried, shared by every instance. Losing it after a crash costs nothing but the count.
create unlogged table intentos (
  -- Keyed hash of what is counted: an account's address or a network address.
  clave text primary key,
  cuenta integer not null check (cuenta >= 0),
  -- The next attempt waits until then.
  libre_at timestamptz not null,
  ultimo_at timestamptz not null
);
create index intentos_ultimo on intentos (ultimo_at);

-- Who did what, when, from where. Rows are added, never changed.
create table bitacora (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  que text not null check (char_length(que) between 1 and 60),
  -- Account that did it; null: nobody that is known.
  quien text,
  -- What it was done to: an account, a document, an export.
  sobre text check (char_length(sobre) <= 500),
  -- Keyed hash of the network address, or «terminal».
  desde text not null check (char_length(desde) between 1 and 64)
);
create index bitacora_at on bitacora (at);
create index bitacora_quien on bitacora (quien, at);

create function bitacora_intocable() returns trigger language plpgsql as $$
begin
  raise exception 'bitacora only grows' using errcode = 'insufficient_privilege';
end $$;
create trigger bitacora_intocable before update or delete on bitacora for each row execute function bitacora_intocable();
create trigger bitacora_entera before truncate on bitacora for each statement execute function bitacora_intocable();
