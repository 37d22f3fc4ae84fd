-- Telephones are written with spaces, hyphens, or neither: they are found either way.
alter table inscripciones drop column busqueda;
alter table inscripciones add column busqueda tsvector not null generated always as (
  to_tsvector('simple', translate(
    lower(titular || ' ' || coalesce(detalle, '') || ' ' || coalesce(correo, '') || ' ' || celular || ' ' ||
      regexp_replace(celular, '\D', '', 'g') || ' ' || replace(folio, '-', '')),
    'áéíóúüñàèìòùâêîôû', 'aeiouunaeiouaeiou'))
) stored;
create index inscripciones_busqueda on inscripciones using gin (busqueda);
