-- What is written by hand over sealed votes reaches the results as well: the sums follow the rows. The recount names it.

create function votos_por_hora_siguen() returns trigger language plpgsql as $$
begin
  -- 0 and null stand outside the sums: results count these rows themselves.
  if tg_op <> 'INSERT' and old.lote <> 0 then
    insert into votos_por_hora (edicion, hora, candidata, votos)
      values (old.edicion, date_trunc('hour', old.created_at, 'UTC'), coalesce(old.candidata, ''), -1)
      on conflict (edicion, hora, candidata) do update set votos = votos_por_hora.votos - 1;
  end if;
  if tg_op <> 'DELETE' and new.lote <> 0 then
    insert into votos_por_hora (edicion, hora, candidata, votos)
      values (new.edicion, date_trunc('hour', new.created_at, 'UTC'), coalesce(new.candidata, ''), 1)
      on conflict (edicion, hora, candidata) do update set votos = votos_por_hora.votos + 1;
  end if;
  return null;
end $$;

-- A vote that is cast has no batch yet.
create trigger votos_por_hora_insert after insert on banda_digital_votes
  for each row when (new.lote is not null)
  execute function votos_por_hora_siguen();
create trigger votos_por_hora_delete after delete on banda_digital_votes
  for each row when (old.lote is not null)
  execute function votos_por_hora_siguen();
-- Sealing adds its whole batch at once, and says that it does.
create trigger votos_por_hora_update after update of candidata, edicion, created_at, lote on banda_digital_votes
  for each row when (
    (old.lote is not null or new.lote is not null)
    and current_setting('certamen.sella', true) is distinct from 'si'
  )
  execute function votos_por_hora_siguen();

create function votos_por_hora_vacian() returns trigger language plpgsql as $$
begin
  delete from votos_por_hora;
  return null;
end $$;
create trigger votos_por_hora_truncate after truncate on banda_digital_votes
  for each statement execute function votos_por_hora_vacian();

-- No batch has such a number. Rows that have one already stay, for the recount to name.
alter table banda_digital_votes add constraint banda_digital_votes_lote check (lote >= 0) not valid;
