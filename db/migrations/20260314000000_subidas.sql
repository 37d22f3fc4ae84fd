-- What is on its way in belongs to no process: what is known of it stands here, its bytes are objects of the storage.
create table subidas (
  id uuid primary key,
  -- Which reception takes it: the public forms', or the organisers'.
  de text not null check (de in ('registros', 'edicion')),
  -- SHA-256 of what opens it, in hex.
  key text not null check (key ~ '^[0-9a-f]{64}$'),
  nombre_archivo text not null,
  -- What its noun says of it.
  datos jsonb not null,
  -- Announced; null while a form without JavaScript is still sending it.
  bytes bigint,
  recibidos bigint not null default 0,
  -- In the order of asking: milliseconds since 1970 of the process that took it, no two alike there.
  orden bigint not null,
  -- Keyed hashes of the networks that it comes from, the narrowest first.
  redes text[] not null default '{}',
  -- Set once the file is whole and its content accepted; from then on nobody writes to it.
  sellada jsonb,
  -- When something of it last came; null where nobody knows.
  oida_at timestamptz,
  creada_at timestamptz not null default now(),
  -- The same by the site's clock, which may be set ahead or behind.
  del_sitio_at timestamptz not null
) with (fillfactor = 70);
create index subidas_por_key on subidas (de, key);

-- The bytes of an upload, in the order in which they came.
create table trozos (
  subida_id uuid not null references subidas on delete cascade,
  desde bigint not null,
  bytes integer not null check (bytes > 0),
  -- Its name in the storage, below the upload's own.
  objeto uuid not null,
  primary key (subida_id, desde)
);

-- How much came from each network within a while.
create table llegadas_por_red (
  de text not null,
  -- Keyed hash.
  red text not null,
  que text not null check (que in ('comienzo', 'envio', 'bytes')),
  desde timestamptz not null default now(),
  cuenta bigint not null,
  primary key (de, red, que)
) with (fillfactor = 70);

-- Who has something in hand just now, over all processes. One that is killed says nothing more, and its turn runs out.
create table turnos (
  que text primary key,
  quien uuid not null,
  hasta timestamptz not null
);

comment on column entregas.area is 'The attempt that wrote the plan; of plans from before 20260314, the folder of the process that did.';
