-- How many came, by day: sums alone, of nobody in particular.
create table visitas (
  -- A day in Mexico City, like 2025-09-12.
  dia text not null check (dia ~ '^\d{4}-\d{2}-\d{2}$'),
  que text not null check (que in ('pantalla', 'patrocinador', 'compartido')),
  -- Path of a screen, name of a sponsor, id of a candidate.
  cual text not null check (length(cual) between 1 and 200),
  fuente text not null,
  cuenta bigint not null check (cuenta > 0),
  primary key (dia, que, cual, fuente)
);
