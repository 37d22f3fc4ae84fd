-- How far the mailbox was read that delivery reports come back to; a keyed hash of its address stands for it.
create table buzon_de_rebotes (
  huella text primary key,
  -- Numbers of its mail server's own.
  uidvalidity bigint,
  uid bigint,
  -- Until when one process has it to itself.
  tomado_hasta timestamptz not null default now(),
  leido_at timestamptz,
  falla text check (falla in ('conexion', 'entrada', 'carpeta', 'respuesta'))
);
