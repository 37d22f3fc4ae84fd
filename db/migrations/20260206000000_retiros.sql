-- What a withdrawal takes away: what every process deletes of its own copies, and whether the storage is clean.
alter table retiradas
  add column nombres jsonb not null default '[]',
  add column sumas jsonb not null default '[]',
  add column limpia boolean not null default false;
