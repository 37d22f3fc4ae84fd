-- The candidate of the site that an accepted entry was made into. It goes with the entry.
create table candidatas_de_inscripciones (
  inscripcion_id bigint primary key references inscripciones (id) on delete cascade,
  edicion integer not null,
  -- Her id in the edition.
  candidata text not null,
  at timestamptz not null,
  unique (edicion, candidata)
);
