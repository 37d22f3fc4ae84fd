-- The popularity vote: who voted, the chain of sealed batches, what was annulled, and the two acts.

-- One row a vote (§3). It outlives the account that cast it, so nothing refers to profiles.
create table banda_digital_votes (
  id bigint generated always as identity primary key,
  user_id text not null,
  -- The candidate's full name; one that is empty or unknown counts as «Otros / inválidos» (§9).
  candidata text,
  edicion smallint not null default 2025,
  -- Keyed hash of the normalised address (decision 23).
  correo bytea,
  -- What the voter can find the own vote by.
  recibo text check (char_length(recibo) = 12),
  -- The page's own name for this attempt: sent again after a lost answer, it is the same vote.
  intento uuid,
  -- Keyed hash over the row, by a key that the database does not have: what was written here by hand has none.
  firma bytea,
  -- Keyed hashes of the voter's network, and the domain of the address, unless everybody has one there.
  red text,
  dominio text,
  sospecha text check (sospecha in ('red', 'dominio', 'desechable')),
  -- Null: to be sealed; 0: it cannot be, it did not come through the site.
  lote integer,
  -- By the site's clock.
  created_at timestamptz not null default now(),
  unique (edicion, user_id),
  unique (edicion, correo),
  unique (recibo)
) with (fillfactor = 85);
create index banda_digital_votes_lote on banda_digital_votes (edicion, lote);
create index banda_digital_votes_sospecha on banda_digital_votes (edicion, sospecha, red, dominio) where sospecha is not null;

-- The chain: each batch's seal is over the one before and over its ballots (hashed receipt and candidate, sorted).
create table lotes (
  edicion smallint not null,
  numero integer not null check (numero > 0),
  anterior text not null,
  sello text not null,
  firma bytea not null,
  papeletas integer not null check (papeletas > 0),
  sellado_at timestamptz not null,
  -- Whether its voters' receipts are on their way by mail.
  avisado boolean not null default false,
  primary key (edicion, numero)
);
create index lotes_por_avisar on lotes (edicion, numero) where not avisado;

-- Sums over the sealed batches, written with each of them: results never count the votes themselves.
create table votos_por_hora (
  edicion smallint not null,
  hora timestamptz not null,
  candidata text not null,
  votos bigint not null,
  primary key (edicion, hora, candidata)
);
-- How many came from where, in spans of ten minutes.
create table votos_por_origen (
  edicion smallint not null,
  tramo timestamptz not null,
  clase text not null check (clase in ('red', 'dominio')),
  origen text not null,
  votos integer not null,
  sospechosos integer not null,
  primary key (edicion, tramo, clase, origen)
);
create index votos_por_origen_votos on votos_por_origen (edicion, clase, votos desc);

-- Votes that an organiser has taken out of the count, with the reason that is published.
create table anulaciones (
  id bigint generated always as identity primary key,
  edicion smallint not null,
  motivo text not null check (char_length(motivo) between 10 and 500),
  votos integer not null check (votos > 0),
  -- Votes of each candidate.
  conteo jsonb not null,
  firma bytea not null,
  quien text not null,
  at timestamptz not null
);
create table votos_anulados (
  voto_id bigint primary key,
  anulacion_id bigint not null references anulaciones (id)
);
create index votos_anulados_anulacion on votos_anulados (anulacion_id);

-- The act of zero and the closing act, as they were sealed.
create table actas (
  edicion smallint not null,
  clase text not null check (clase in ('apertura', 'cierre')),
  contenido text not null,
  sello text not null,
  firma bytea not null,
  -- Account that drew it up; null: the site, at the first vote.
  quien text,
  at timestamptz not null,
  primary key (edicion, clase)
);

-- What the last comparison of the votes with their chain found.
create table recuentos (
  edicion smallint primary key,
  at timestamptz not null,
  papeletas bigint not null,
  lotes integer not null,
  ultimo text not null,
  -- Spanish sentences; empty: everything is as it was sealed.
  fallas jsonb not null
);
