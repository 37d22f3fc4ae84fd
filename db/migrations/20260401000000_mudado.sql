-- A site that was moved elsewhere leaves this row behind, and no site starts on it by mistake.
create table mudado (
  unica boolean primary key default true check (unica),
  adonde text not null,
  at timestamptz not null default clock_timestamp()
);
