-- What the last count found beside the chain: it never becomes less, unless somebody takes it out of the database.
alter table recuentos
  add column anulados bigint not null default 0,
  add column actas smallint not null default 0;
