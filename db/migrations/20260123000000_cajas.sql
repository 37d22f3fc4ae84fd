-- The published chain, made while the vote is open: each link is closed as soon as its batches hold enough ballots, and
-- told to everybody at once.
create table cajas (
  edicion smallint not null,
  numero integer not null check (numero > 0),
  anterior text not null,
  sello text not null,
  -- Keyed hash over the row, by a key that the database does not have.
  firma bytea not null,
  papeletas integer not null check (papeletas > 0),
  -- The batches whose ballots it holds.
  desde_lote integer not null check (desde_lote > 0),
  hasta_lote integer not null check (hasta_lote >= desde_lote),
  cerrada_at timestamptz not null,
  primary key (edicion, numero)
);

alter table recuentos
  -- Keyed hash over the row; null: counted by a version that signed none.
  add column firma bytea,
  -- How far the published chain reached.
  add column cajas integer not null default 0,
  add column ultima_caja text,
  -- Whether a row of before was found changed, or gone: no later count forgets it.
  add column alterado boolean not null default false;
