-- A count goes by the candidate's id: which of them a vote means, its name as it was cast says here.

-- Names that the candidates of an edition have had while votes could name them. Each start writes those of the content;
-- a corrected name is one more row. No row goes away, and none changes its id while a vote bears the name.
create table candidatas (
  edicion smallint not null,
  -- Full name, as it stands in banda_digital_votes.candidata.
  nombre text not null,
  -- As the content has it; it never changes.
  id text not null,
  -- Keyed hash over the row: whoever writes one by hand is found out by the recount.
  firma bytea not null,
  at timestamptz not null,
  primary key (edicion, nombre)
);
