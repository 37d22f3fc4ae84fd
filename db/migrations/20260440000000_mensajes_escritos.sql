-- A message that an organiser worded for the entries that she chose, one row for each of them. It goes with the entry.
create table mensajes_escritos (
  id bigint generated always as identity primary key,
  -- The rows of one message share this; a second press of the button adds none.
  envio uuid not null,
  inscripcion_id bigint not null references inscripciones (id) on delete cascade,
  -- The words as this person gets them.
  asunto text not null check (asunto <> ''),
  texto text not null check (texto <> ''),
  -- Null where no mail can go: the person is told by telephone.
  correo_id bigint unique references correos (id) on delete cascade,
  -- The message may make an appointment; an entry's latest one counts.
  cita_at timestamptz,
  cita_lugar text check (char_length(cita_lugar) between 1 and 200),
  -- The calendar file's address holds this, since a folio stands in no address.
  cita_codigo uuid unique,
  -- A reminder was queued, or none is needed.
  recordada_at timestamptz,
  quien text,
  at timestamptz not null,
  unique (envio, inscripcion_id),
  check (num_nonnulls(cita_at, cita_lugar, cita_codigo) in (0, 3))
);
create index mensajes_escritos_inscripcion on mensajes_escritos (inscripcion_id);
create index mensajes_escritos_por_recordar on mensajes_escritos (cita_at) where recordada_at is null and cita_at is not null;
