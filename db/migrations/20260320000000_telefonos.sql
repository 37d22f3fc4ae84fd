-- The number of a telephone as it was typed: with or without the country, with what was dialled before 2019 (1, 01, 044, 045),
-- in any digits and signs, two in one field. The field itself keeps what was typed.

-- One number in its digits, with a plus in front where one was typed: '+' and country for what can be dialled from anywhere, else the
-- digits as they are; null for fewer than seven, which are an extension. Mexico's area codes never begin with 0 or 1.
create function telefono_de(cifras text) returns text language sql immutable strict parallel safe
  return coalesce(
    '+52' || substring(regexp_replace(cifras, '^(\+|00)(?=0)', '') from
      '^(?:(?:\+|00)52(?:01|04[45]|[01])?|52(?:01|04[45]|[01])?|01|04[45])?([0-9]{10})$'),
    substring(regexp_replace(cifras, '^00', '+') from '^(\+(?!52|0)[0-9]{8,15})$'),
    case when length(ltrim(cifras, '+')) >= 7 then ltrim(cifras, '+') end);

-- All numbers in a text, in their order. What no number holds parts them; what is parted everywhere ('33/2222/1111') is one.
create function telefonos_de(texto text) returns text[] language sql immutable strict parallel safe
begin atomic
  with escrito as (
    select replace(translate(
      regexp_replace(normalize(texto, NFKC),
        '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]', '', 'g'),
      '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹', '01234567890123456789'), '+', '/+') as texto
  ), trozos as (
    select n, trozo, regexp_replace(trozo, '[^0-9]', '', 'g') as cifras
    from escrito, regexp_split_to_table(escrito.texto, '[^0-9\s().+\u2010-\u2015\u2212_*-]+') with ordinality as s (trozo, n)
  ), largos as (
    select n, trozo, cifras from trozos where length(cifras) >= 7
    union all
    select 1, ltrim(escrito.texto, '/'), regexp_replace(escrito.texto, '[^0-9]', '', 'g') from escrito
    where not exists (select from trozos where length(cifras) >= 7)
  ), numeros as (
    select n, m, telefono_de(case when m = 1 and trozo ~ '^[\s(.]*\+' then '+' else '' end || uno) as numero
    from largos, unnest(coalesce(
      regexp_match(cifras,
        '^((?:(?:00)?52(?:01|04[45]|1)?|01|04[45])?[2-9][0-9]{9})((?:(?:00)?52(?:01|04[45]|1)?|01|04[45])?[2-9][0-9]{9})$'),
      array[cifras])) with ordinality as u (uno, m)
  )
  select coalesce(array_agg(numero order by n, m) filter (where numero is not null), '{}') from numeros;
end;

-- What a telephone is found by: its numbers, and after a t the digits that people remember of them, whole or from behind.
create function telefonos_buscables(texto text) returns tsvector language sql immutable strict parallel safe
  return array_to_tsvector(array(
    select distinct lexema from unnest(telefonos_de(texto)) as t (numero),
      unnest(array[numero, 't' || ltrim(numero, '+'), 't' || right(numero, 10), 't' || right(ltrim(numero, '+'), 8),
        't' || right(ltrim(numero, '+'), 7), 't' || right(numero, 4)]) as l (lexema)));

-- The same numbers, or null where there is none.
create function mismo_telefono(texto text) returns tsquery language sql immutable strict parallel safe
  return (select string_agg('''' || numero || '''', ' | ')::tsquery from unnest(telefonos_de(texto)) as t (numero));

-- A telephone as somebody looks for it, who may know its beginning or its end only.
create function busca_telefono(texto text) returns tsquery language sql immutable strict parallel safe
begin atomic
  with escrito as (
    select regexp_replace(translate(normalize(texto, NFKC), '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹', '01234567890123456789'), '[^0-9+]', '', 'g') as cifras
  ), comienzos as (
    select ltrim(cifras, '+') as cifras from escrito
    union
    select regexp_replace(cifras, '^(?:(?:\+|00)52(?:01|04[45]|1)?|01|04[45])', '') from escrito
  )
  select nullif(concat_ws(' | ',
    (select string_agg('''t' || ltrim(cifras, '+') || ''':*', ' | ') from comienzos where cifras ~ '^[0-9]+$'),
    mismo_telefono(texto)::text), '')::tsquery;
end;

create index inscripciones_telefonos on inscripciones using gin (telefonos_buscables(celular));
