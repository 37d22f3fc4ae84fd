-- A vote may have an opening, which its edition's publication in force states (edicion.yaml, fechas.aperturaVotacion). It stands
-- here too, so that no vote reads a whole publication; null where the vote opens with the candidates' publication.
alter table ediciones add column abre_votacion timestamptz;

-- The moment from which an edition's votes come in; null once its closing act is sealed, and while it is being sealed.
create function votacion_desde(de smallint) returns timestamptz language plpgsql volatile as $$
begin
  if not votacion_sin_acta(de) then
    return null;
  end if;
  -- By a look of its own, later than the lock: an opening that moved since the statement began is seen.
  return coalesce((select abre_votacion from ediciones where anio = de), '-infinity');
end $$;
