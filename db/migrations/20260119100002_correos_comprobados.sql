alter table correos validate constraint correos_inscripcion_id_fkey;
create index correos_inscripcion on correos (inscripcion_id) where inscripcion_id is not null;
