-- Whether an edition's votes may still come in: not once its closing act is sealed, nor while it is being sealed.
create function votacion_sin_acta(de smallint) returns boolean language plpgsql volatile as $$
begin
  -- Held until the vote is in. Sealing the act takes the same one for itself alone: no vote waits for that, it is over.
  if not pg_try_advisory_xact_lock_shared(7402104, de) then
    return false;
  end if;
  -- By a look of its own, later than the lock: an act that was sealed since the statement began is seen.
  return not exists (select from actas where edicion = de and clase = 'cierre');
end $$;
