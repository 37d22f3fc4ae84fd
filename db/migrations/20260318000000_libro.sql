-- The ledger of deletions, in the same transaction as the deletion itself, or as the return of somebody who was deleted.
-- Whichever process comes next takes its lines to its data folder and beside the backups. Where the two differ, the
-- newest line about somebody holds.
create table supresiones (
  huella text not null check (huella ~ '^[0-9a-f]{64}$'),
  at timestamptz not null,
  -- She came back.
  vuelve boolean not null default false,
  primary key (huella, at, vuelve)
);

-- Who works on this database now: a site, or a move to another one. Of the present alone, so it is in no backup, and
-- empty after a crash of the server.
create unlogged table presencias (
  quien text primary key,
  que text not null check (que in ('sitio', 'mudanza')),
  at timestamptz not null
);

-- Hours that the site has really seen pass, for what is announced: leaps of the clock count for nothing.
alter table reloj_visto add column corrido_ms bigint not null default 0;
-- How many there were at the announcement; null: a version that does not count wrote it, and it is noted at the next look.
alter table borrados_anunciados add column corrido_ms bigint;
alter table olvidos_anunciados add column corrido_ms bigint;
