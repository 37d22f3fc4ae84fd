-- What PostgreSQL takes for a host, a file or an address is found by the words in it, too («Ma.Guadalupe», «Sol/Luna», the
-- domain of an address); a telephone by its last digits; every accent is folded, as toTsquery() does.
alter table inscripciones drop column busqueda;
alter table inscripciones add column busqueda tsvector not null generated always as (
  to_tsvector('simple', regexp_replace(normalize(
    lower(titular || ' ' || coalesce(detalle, '') || ' ' || coalesce(correo, '') || ' ' || celular || ' ' ||
      regexp_replace(celular, '\D', '', 'g') || ' ' || replace(folio, '-', '')),
    NFD), '[\u0300-\u036f]', '', 'g'))
  ||
  to_tsvector('simple', regexp_replace(regexp_replace(normalize(
    lower(titular || ' ' || coalesce(detalle, '') || ' ' || coalesce(correo, '') || ' ' ||
      right(regexp_replace(celular, '\D', '', 'g'), 4) || ' ' || right(regexp_replace(celular, '\D', '', 'g'), 7) || ' ' ||
      right(regexp_replace(celular, '\D', '', 'g'), 8)),
    NFD), '[\u0300-\u036f]', '', 'g'), '[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]+', ' ', 'g'))
) stored;
create index inscripciones_busqueda on inscripciones using gin (busqueda);
