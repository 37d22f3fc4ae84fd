-- How many came, by day: sums alone, of nobody in particular.
create table visitas (
  dia date not null,
  que text not null check (que in ('pantalla', 'patrocinador', 'compartido')),
  -- Path of a screen, name of a sponsor, id of a candidate.
  cual text not null check (length(cual) between 1 and 200),
  fuente text not null,
  cuenta bigint not null check (cuenta > 0),
  primary key (dia, que, cual, fuente)
);
