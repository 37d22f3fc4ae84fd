-- How the site is, as its own watch found it last: for the panel, and so that a fault is told once.
create table diagnosticos (
  de text primary key,
  titulo text not null,
  nivel text not null check (nivel in ('ok', 'aviso', 'falla')),
  dice text not null,
  remedio text,
  -- Since when it is at this level.
  desde timestamptz not null,
  visto_at timestamptz not null
);

-- Which of the processes keeps watch: the one that said so last, until it says nothing for some minutes.
create table guardia (
  unica boolean primary key default true check (unica),
  quien text not null,
  at timestamptz not null
);
