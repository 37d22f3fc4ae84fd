-- Words with which the committee tells people what it decided; every version is kept. Version 0 is the site's own.
create table plantillas (
  ocasion text not null check (ocasion in ('aceptada', 'rechazada', 'falta-documento')),
  version integer not null check (version > 0),
  asunto text not null check (char_length(asunto) between 1 and 120),
  titulo text not null check (char_length(titulo) between 1 and 80),
  texto text not null check (char_length(texto) between 1 and 3000),
  quien text references profiles (id) on delete set null,
  at timestamptz not null,
  primary key (ocasion, version)
);

-- What became of a message after the mail server took it; and whether there was a mail server at all.
alter table correos
  add column en_carpeta boolean not null default false,
  add column rebotado_at timestamptz,
  -- The status of RFC 3463 that a delivery report gave, and nothing else of it.
  add column rebote text check (rebote ~ '^[245]\.\d{1,3}\.\d{1,3}$'),
  add constraint correos_rebotado check (rebotado_at is null or sent_at is not null);
create index correos_message_id on correos (message_id);
create index correos_no_llegados on correos (inscripcion_id)
  where inscripcion_id is not null and (failed_at is not null or rebotado_at is not null or en_carpeta);

-- What an organiser had sent to somebody about an entry. It goes with the entry.
create table mensajes (
  id bigint generated always as identity primary key,
  inscripcion_id bigint not null references inscripciones (id) on delete cascade,
  ocasion text not null check (ocasion in ('aceptada', 'rechazada', 'falta-documento')),
  -- The step that it tells of, and which message about it this is: pressed twice, it is one.
  paso bigint not null references cambios (id) on delete cascade,
  vez integer not null check (vez > 0),
  -- Of the words that it was written with.
  version integer not null check (version >= 0),
  correo_id bigint not null unique references correos (id) on delete cascade,
  quien text,
  at timestamptz not null,
  unique (inscripcion_id, ocasion, paso, vez)
);
