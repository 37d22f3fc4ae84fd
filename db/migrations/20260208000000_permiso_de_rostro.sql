-- Whether a candidate allows her photograph of the face to be published once she is accepted. Registrations of before, and
-- whoever left the box as it is, allow nothing.
alter table registros add column "publicarRostro" text not null default 'No'
  constraint "registros_publicarRostro_check" check ("publicarRostro" in ('No', 'Sí'));
