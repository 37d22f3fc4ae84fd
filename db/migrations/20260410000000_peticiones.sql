-- What people ask for on the site and an organiser answers: a lost folio or a deletion, of an entry that matched what was typed; or
-- an accreditation of the press. A row goes when it is answered, with its entry, and after ninety days.
create table peticiones (
  id bigint generated always as identity primary key,
  que text not null check (que in ('folio', 'borrado', 'acreditacion')),
  inscripcion_id bigint references inscripciones (id) on delete cascade,
  nombre text check (char_length(nombre) between 1 and 120),
  medio text check (char_length(medio) between 1 and 120),
  correo text check (char_length(correo) <= 320),
  created_at timestamptz not null default now(),
  check ((que = 'acreditacion') = (inscripcion_id is null)),
  check ((que = 'acreditacion') = (nombre is not null and medio is not null and correo is not null))
);
create unique index peticiones_por_inscripcion on peticiones (inscripcion_id, que) where inscripcion_id is not null;
create unique index peticiones_por_correo on peticiones (correo) where correo is not null;
