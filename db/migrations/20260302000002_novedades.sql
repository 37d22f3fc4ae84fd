-- How often an organiser is told by mail of what is new, and up to when she was told.
create table novedades (
  user_id text primary key references profiles (id) on delete cascade,
  cuando text not null default 'diario' check (cuando in ('diario', 'al-momento', 'nunca')),
  -- By the site's clock, as entries are dated; and by the database's, as mail is.
  hasta timestamptz not null,
  correos_hasta timestamptz not null default now(),
  -- When the last message was queued, by the site's clock.
  dicho_at timestamptz
);
create index solicitudes_cumplidas on solicitudes (cumplida_at) where cumplida_at is not null;
