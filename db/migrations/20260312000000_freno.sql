-- What keeps a machine whose clock runs ahead from deleting: the last moment that the database saw. The machine's clock
-- is held against it; the site follows it every few minutes, and never a leap of more than a day.
create table reloj_visto (
  unico boolean primary key default true check (unico),
  visto_at timestamptz not null
);
-- Where the site has been at work before, its last sign of life counts, and not what the clock says at this start.
insert into reloj_visto (visto_at)
select least(now(), coalesce(greatest(
  (select max(at) from bitacora),
  (select max(created_at) from inscripciones),
  (select max(created_at) from banda_digital_votes),
  (select max(created_at) from correos),
  (select max(created_at) from profiles)
), now()));

-- Entries that will be deleted by time were announced: since when.
create table borrados_anunciados (
  inscripcion_id bigint primary key references inscripciones on delete cascade,
  anunciado_at timestamptz not null
);

-- The same of the accounts of an edition's voters, which go together.
create table olvidos_anunciados (
  edicion smallint primary key,
  anunciado_at timestamptz not null
);

-- Editions of which nothing is deleted by time, until somebody says so.
create table plazos_detenidos (
  edicion smallint primary key,
  detenido_at timestamptz not null default now(),
  quien text
);
