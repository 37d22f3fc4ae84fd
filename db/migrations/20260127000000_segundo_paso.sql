-- An organiser's second step at the door: what an application of codes was given.
create table segundos (
  user_id text primary key references profiles (id) on delete cascade,
  -- The secret, encrypted under a key of the site's, for this account alone.
  secreto bytea not null,
  mostrado_at timestamptz not null default now(),
  -- Null: it was shown, and no code of it was typed yet.
  activo_at timestamptz,
  -- The newest half minute whose code has served; none of before serves after it.
  ultimo bigint not null default 0
);

-- Codes for whoever has no telephone at hand; each serves once, and goes.
create table respaldos (
  user_id text not null references profiles (id) on delete cascade,
  -- Keyed hash of account and code.
  huella text not null,
  primary key (user_id, huella)
);

-- Passkeys: what a device keeps the secret half of.
create table llaves_de_acceso (
  -- As the device names it, base64url.
  id text primary key check (char_length(id) <= 1400),
  user_id text not null references profiles (id) on delete cascade,
  nombre text not null check (char_length(nombre) <= 60),
  publica bytea not null,
  -- How often the device says that it was used.
  usos bigint not null,
  -- How the device is reached, as it says, with commas between.
  transportes text not null default '',
  created_at timestamptz not null default now(),
  usada_at timestamptz
);
create index llaves_de_acceso_user_id on llaves_de_acceso (user_id);

-- Browsers whose person has said the password, and not yet passed the second step.
create table antesalas (
  -- Keyed hash of the browser's cookie.
  huella text primary key,
  user_id text not null references profiles (id) on delete cascade,
  -- The device, where it had entered this account before.
  equipo text,
  intentos integer not null default 0,
  -- By the machine's clock.
  vence_at timestamptz not null
);
create index antesalas_user_id on antesalas (user_id);

-- Whether the person of a session has put the advice of a second step off.
alter table sessions add column sin_consejo boolean not null default false;

-- What ends an account's sessions ends its way to one; a withdrawn account keeps no second step for whoever gets it next.
create function fin_de_antesalas() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'accounts' then
    delete from antesalas where user_id = new.user_id;
    return null;
  end if;
  delete from antesalas where user_id = new.id;
  if new.baja_at is not null then
    delete from segundos where user_id = new.id;
    delete from respaldos where user_id = new.id;
    delete from llaves_de_acceso where user_id = new.id;
  end if;
  return null;
end $$;
create trigger fin_de_antesalas after update on profiles for each row
  when (old.role is distinct from new.role or old.baja_at is distinct from new.baja_at or old.email <> new.email)
  execute function fin_de_antesalas();
create trigger fin_de_antesalas after update of password on accounts for each row
  when (old.password is distinct from new.password)
  execute function fin_de_antesalas();
