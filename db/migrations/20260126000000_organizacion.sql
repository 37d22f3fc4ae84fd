-- When the person of a session last said the password, and which device it is, by a name that tells of nobody.
alter table sessions
  add column confirmada_at timestamptz not null default now(),
  add column equipo text check (char_length(equipo) <= 60);

-- Organisers who are to be withdrawn: any other may stop it until then.
create table bajas (
  user_id text primary key references profiles (id) on delete cascade,
  -- Account that asked for it.
  pedida_por text not null,
  pedida_at timestamptz not null,
  -- By the site's clock.
  surte_at timestamptz not null
);

-- Addresses that organisers and journalists change to, until a code that was sent there is typed.
create table cambios_de_correo (
  user_id text primary key references profiles (id) on delete cascade,
  correo text not null check (char_length(correo) <= 254),
  -- Keyed hash of account, address and code.
  huella text not null,
  intentos integer not null default 0,
  -- By the machine's clock.
  vence_at timestamptz not null
);

-- A link after a forgotten password holds for an hour, an invitation for days; what it says differs, too.
alter table enlaces add column recupera boolean not null default false;
