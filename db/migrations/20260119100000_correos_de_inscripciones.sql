-- A message belongs to the entry that it is about, and goes with it; until now it was found by how its key was made.
alter table correos
  add column inscripcion_id bigint,
  -- Anybody can have it sent to any address: once it is done with it goes whole. Until now known by its kind.
  add column pasajero boolean not null default false;
-- Checked for what is written from now on; for what is there, in a transaction of its own.
alter table correos add constraint correos_inscripcion_id_fkey
  foreign key (inscripcion_id) references inscripciones (id) on delete cascade not valid;
