-- The night of the final. What took place is the entries of its act, a chain that only grows.
create table asientos_de_final (
  edicion smallint not null,
  -- From 1, without a gap.
  numero integer not null check (numero >= 1),
  -- JSON, as it was sealed: it names the entry before by its seal.
  contenido text not null,
  sello text not null,
  -- The site's signature over the seal.
  firma bytea not null,
  -- The request that it came by, where the same one may come again after a lost answer.
  clave text,
  -- Account that did it.
  quien text,
  at timestamptz not null,
  primary key (edicion, numero),
  unique (edicion, clave)
);
create function final_intocable() returns trigger language plpgsql as $$
begin
  raise exception 'the act of a final only grows' using errcode = 'insufficient_privilege';
end $$;
create trigger final_intocable before update or delete on asientos_de_final
  for each row execute function final_intocable();
create trigger final_entera before truncate on asientos_de_final
  for each statement execute function final_intocable();

-- Acts that the organisers have made public.
create table finales_publicas (
  edicion smallint primary key,
  quien text not null,
  at timestamptz not null
);

-- The judges' places at the table, and the link that opens a place to one telephone.
create table jueces (
  edicion smallint not null,
  numero smallint not null check (numero between 1 and 12),
  nombre text not null check (char_length(nombre) between 1 and 60),
  user_id text references profiles (id) on delete set null,
  -- SHA-256 of the link's key; null: no link was made yet, or it was taken back.
  huella text unique,
  vence_at timestamptz,
  usado_at timestamptz,
  -- SHA-256 of what the telephone that used it calls itself, so that a lost answer does not shut it out.
  usado_por text,
  primary key (edicion, numero)
);
create index jueces_user on jueces (user_id);

-- What judges have typed and not signed: another telephone takes up there.
create table hojas_sin_firmar (
  edicion smallint not null,
  ronda smallint not null,
  juez smallint not null,
  -- Tenths of a point by candidate; null where nothing was given yet.
  calificaciones jsonb not null,
  at timestamptz not null,
  primary key (edicion, ronda, juez)
);
