-- A code that was asked for from where no code has been used yet goes after the others, and has a part of the day's own.
alter table correos add column ajeno boolean not null default false;
drop index correos_pendientes;
create index correos_pendientes on correos (priority, ajeno, not_before) where sent_at is null and failed_at is null;
-- What went out within a day is counted whenever a code is asked for.
create index correos_por_llegada on correos (created_at);
