-- An origin is who can make addresses. When one passes its threshold, by a rule that stood before, all its votes are
-- marked, also those before; only marked votes can be annulled, and only with their whole origin.

-- Keyed hash of an IPv6 address's /32; `red` is its /48, or an IPv4 address's /24.
alter table banda_digital_votes add column bloque text;

-- Which server receives the mail of a domain: as the name server said when its first votes came.
create table receptores (
  edicion smallint not null,
  dominio text not null,
  -- A great mail host's domain, or the block of addresses of the server.
  receptor text not null,
  -- One of the edition's great mail hosts: it receives for people who have nothing to do with each other.
  alojamiento boolean not null,
  firma bytea not null,
  at timestamptz not null,
  primary key (edicion, dominio)
);
create index receptores_receptor on receptores (edicion, receptor);

-- How many sealed votes came from an origin in the whole edition.
create table origenes (
  edicion smallint not null,
  clase text not null,
  origen text not null,
  votos integer not null,
  -- Batch of its first vote: none of its votes is in an earlier one.
  desde_lote integer not null,
  primary key (edicion, clase, origen)
);
create index origenes_votos on origenes (edicion, clase, votos desc);

-- Bursts are counted by the great IPv6 blocks as well.
alter table votos_por_origen drop constraint votos_por_origen_clase_check;
alter table votos_por_origen add constraint votos_por_origen_clase_check
  check (clase in ('red', 'dominio', 'bloque')) not valid;
-- Which votes are marked says votos_marcados from now on.
alter table votos_por_origen alter column sospechosos set default 0;

-- An origin, or a burst of ten minutes from one, that passed its threshold.
create table marcas (
  id bigint generated always as identity primary key,
  edicion smallint not null,
  clase text not null check (clase in
    ('dominio', 'receptor', 'alojamiento', 'desechable', 'rafaga-red', 'rafaga-bloque', 'antes-red', 'antes-dominio')),
  origen text not null,
  -- Beginning of the ten minutes; null: the whole edition.
  tramo timestamptz,
  umbral integer not null,
  -- How many votes it had when it was marked.
  al_marcar integer not null,
  firma bytea not null,
  at timestamptz not null,
  -- Its votes now, and those of them that no earlier mark has.
  votos integer not null default 0,
  nuevos integer not null default 0,
  unique nulls not distinct (edicion, clase, origen, tramo)
);
create table votos_marcados (
  voto_id bigint not null,
  marca_id bigint not null references marcas (id),
  primary key (voto_id, marca_id)
);
create index votos_marcados_marca on votos_marcados (marca_id, voto_id);

-- An annulment is of one mark's votes; null: from before there were marks.
alter table anulaciones add column marca_id bigint references marcas (id);

-- The rules of a vote that began before its act of zero said them are drawn up as an act of their own.
alter table actas drop constraint actas_clase_check;
alter table actas add constraint actas_clase_check check (clase in ('apertura', 'reglas', 'cierre'));
