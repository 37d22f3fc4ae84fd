-- Reviewing: entries that may be the same one are found by what people write in different ways; what organisers correct.

-- Names without case, accents or double spaces, as toTsquery() folds them.
create function nombre_llano(texto text) returns text language sql immutable strict parallel safe
  return btrim(regexp_replace(regexp_replace(normalize(lower(texto), NFD), '[\u0300-\u036f]', '', 'g'), '\s+', ' ', 'g'));
-- The last ten digits, without the country.
create function celular_llano(texto text) returns text language sql immutable strict parallel safe
  return right(regexp_replace(texto, '\D', '', 'g'), 10);
create index inscripciones_nombre on inscripciones (edicion, nombre_llano(titular));
create index inscripciones_celular on inscripciones (edicion, celular_llano(celular));
create index documentos_sha256 on documentos (sha256);

-- How to reach the person, as an organiser corrected it. The log says only which field: both values go with the entry.
create table correcciones (
  id bigint generated always as identity primary key,
  inscripcion_id bigint not null references inscripciones (id) on delete cascade,
  at timestamptz not null default clock_timestamp(),
  campo text not null check (campo in ('celular', 'correo')),
  antes text,
  ahora text,
  quien text
);
create index correcciones_inscripcion on correcciones (inscripcion_id, id);
