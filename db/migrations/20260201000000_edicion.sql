-- What visitors see, written in the panel: drafts, publications, their files and pages.

-- A file of an edition, by the sha256 of its bytes, which lie in the storage's bucket «edicion».
create table archivos_de_edicion (
  sha256 text primary key check (sha256 ~ '^[0-9a-f]{64}$'),
  tipo text not null,
  bytes bigint not null check (bytes >= 0),
  -- Pixels, upright; null for what is no picture.
  ancho integer check (ancho > 0),
  alto integer check (alto > 0),
  -- A tiny preview as a data URI.
  vista text,
  -- Whether the bytes are in the storage already; the sample's are brought there behind the start.
  guardado boolean not null default false,
  created_at timestamptz not null default now()
);

-- All of an edition at one moment. A row never changes but for what became of its preparation; what a candidate's
-- withdrawal takes away goes from every row.
create table publicaciones (
  id bigint generated always as identity primary key,
  edicion integer not null check (edicion between 1900 and 2200),
  -- sha256 of values and files, whatever their order.
  huella text not null,
  -- Name of a document (edicion.yaml, …) → its value as written.
  valores json not null,
  -- Path of a file in the edition → sha256.
  archivos json not null,
  -- carpeta: read from content/; importada: by the command; panel; regreso: an older one, brought back.
  origen text not null check (origen in ('carpeta', 'importada', 'panel', 'regreso')),
  de bigint references publicaciones (id) on delete set null,
  -- The draft's version that it was made of.
  borrador bigint,
  quien text references profiles (id) on delete set null,
  nota text not null default '',
  estado text not null default 'preparando' check (estado in ('preparando', 'publicada', 'fallida')),
  fallas json,
  created_at timestamptz not null,
  publicada_at timestamptz
);
create index publicaciones_por_edicion on publicaciones (edicion, id desc);
-- One at a time is prepared.
create unique index publicaciones_preparando on publicaciones ((true)) where estado = 'preparando';

-- Editions that have ever been published, each with its newest publication.
create table ediciones (
  anio integer primary key check (anio between 1900 and 2200),
  publicacion bigint references publicaciones (id),
  -- Whether it is the one that the site shows: one is, at most.
  actual boolean not null default false,
  abierta_at timestamptz
);
create unique index ediciones_actual on ediciones (actual) where actual;

-- The pages of a publication as one build of the site rendered them.
create table paginas (
  publicacion bigint not null references publicaciones (id) on delete cascade,
  construccion text not null,
  ruta text not null,
  cabeceras json not null,
  cuerpo bytea not null,
  primary key (publicacion, construccion, ruta)
);

-- What the organisers have changed since the publication, document by document.
create table borradores (
  edicion integer not null check (edicion between 1900 and 2200),
  documento text not null,
  valor json not null,
  version bigint not null,
  quien text references profiles (id) on delete set null,
  updated_at timestamptz not null,
  primary key (edicion, documento)
);
create sequence versiones_de_borrador;

-- Candidates who take no part any more: nothing of theirs comes back with an older publication.
create table retiradas (
  edicion integer not null,
  candidata text not null,
  quien text references profiles (id) on delete set null,
  at timestamptz not null,
  primary key (edicion, candidata)
);

-- Addresses of people who have another name now.
create table redirecciones (
  desde text primary key check (desde like '/%'),
  hacia text not null check (hacia like '/%'),
  at timestamptz not null
);
