-- What is known of backups, for whoever watches over the site.
create table copias (
  id bigint generated always as identity primary key,
  -- The copy's name where it lies.
  copia text not null unique,
  destino text not null,
  empezada_at timestamptz not null default now(),
  hecha_at timestamptz,
  bytes bigint,
  objetos integer,
  falla text,
  -- When it was last restored in rehearsal, and what differed.
  ensayada_at timestamptz,
  ensayo_falla text
);

-- One key a site, by which the ledger of deletions names whom nobody else can tell from it. It is in every backup, and
-- never beside the ledger.
create table clave_de_supresiones (
  unica boolean primary key default true check (unica),
  clave bytea not null default decode(
    replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex')
);
insert into clave_de_supresiones default values;
