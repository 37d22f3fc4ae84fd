-- Every column of a form's table is called as the specification's field is (§3).
alter table registros rename column grado_estudio to "gradoEstudio";

-- «clave» is a password's name; this is the SHA-256 of a submission's UUID.
alter table entregas rename column clave to key;

-- What is known of a submission goes with the entry that it made.
alter table entregas drop constraint entregas_inscripcion_id_fkey;
alter table entregas add constraint entregas_inscripcion_id_fkey
  foreign key (inscripcion_id) references inscripciones (id) on delete cascade not valid;
alter table entregas validate constraint entregas_inscripcion_id_fkey;
