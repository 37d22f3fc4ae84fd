-- Lines of before say in the new columns what their text said; what it said in no known form is kept as it was.

-- Only this transaction sees the log open: others keep seeing the function that refuses.
create or replace function bitacora_intocable() returns trigger language plpgsql as $$
begin
  return new;
end $$;

create function bitacora_como_json(texto text) returns jsonb language plpgsql immutable as $$
begin
  return texto::jsonb;
exception when others then
  return null;
end $$;

create function bitacora_exportado(texto text) returns jsonb language sql immutable as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'elegidas', (regexp_match(texto, ' (\d{1,9}) elegidas: '))[1]::integer,
    'ids', to_jsonb(string_to_array((regexp_match(texto, ' elegidas: ([\d ]*\d)'))[1], ' ')::bigint[]),
    'tipo', (regexp_match(texto, ', (candidata|traje)(?:,|$)'))[1],
    'estado', (regexp_match(texto, ', (recibida|en-revision|aceptada|rechazada|falta-documento)(?:,|$)'))[1],
    'fueraDeEdad', case when texto ~ ', fuera de edad(,|$)' then true end,
    'conBusqueda', case when texto ~ ', con búsqueda$' then true end))
$$;

update bitacora set cuenta = sobre
  where sobre is not null and (que = 'acreditacion' or que like 'cuenta.%'
    or que = 'acceso.fallido' and exists (select from profiles where id = sobre));
update bitacora set datos = '{"via": "google"}' where que = 'acceso.fallido' and sobre = 'google';
update bitacora set rastro = sobre where que = 'acceso.fallido' and cuenta is null and datos is null;

update bitacora set
    inscripcion = (regexp_match(sobre, 'inscripcion (\d{1,18})'))[1]::bigint,
    documento = (regexp_match(sobre, '^documento (\d{1,18}),'))[1]::bigint,
    datos = jsonb_build_object('falla', (regexp_match(sobre, ': (.+)$'))[1])
  where que like 'documento.%' and sobre ~ '^(documento \d{1,18}|metadatos), inscripcion \d{1,18}(: .+)?$';
update bitacora set datos = null where que like 'documento.%' and datos = '{"falla": null}';

update bitacora set inscripcion = substr(sobre, 13)::bigint
  where que like 'inscripcion.%' and sobre ~ '^inscripcion \d{1,18}$';
update bitacora set
    acuse = (regexp_match(sobre, '^acuse (\S+),'))[1],
    inscripcion = (regexp_match(sobre, 'inscripcion (\d{1,18})$'))[1]::bigint
  where que like 'borrado.%' and sobre ~ '^acuse \S+, inscripcion \d{1,18}$';

update bitacora set
    edicion = (regexp_match(sobre, '^edición (\d{4})'))[1]::integer,
    datos = nullif(bitacora_exportado(sobre), '{}')
  where que like 'exporte.%' and sobre ~ '^edición \d{4}(, |$)';

update bitacora set datos = '{}' where que like 'ajuste.%' and sobre = 'lo que dice el contenido';
update bitacora set datos = jsonb_build_object('valor', bitacora_como_json(sobre))
  where que = 'ajuste.prensa.publica' and sobre in ('true', 'false')
    or que = 'ajuste.privacidad.dias' and sobre ~ '^\d{1,9}$'
    or que like 'ajuste.registro.%' and bitacora_como_json(sobre) ?& '{abre,cierra}';

update bitacora set edicion = sobre::integer
  where que in ('voto.acta-de-cero', 'voto.acta-de-cierre') and sobre ~ '^\d{4}$';
update bitacora set datos = jsonb_build_object('anulacion', sobre::bigint)
  where que = 'voto.anulados' and sobre ~ '^\d{1,18}$';
update bitacora set datos = jsonb_build_object('tabla', sobre) where que = 'voto.exportado' and sobre is not null;

update bitacora set datos = jsonb_build_object('sobre', sobre)
  where sobre is not null and cuenta is null and rastro is null and inscripcion is null and edicion is null and datos is null;

drop function bitacora_como_json, bitacora_exportado;
create or replace function bitacora_intocable() returns trigger language plpgsql as $$
begin
  raise exception 'bitacora only grows' using errcode = 'insufficient_privilege';
end $$;
