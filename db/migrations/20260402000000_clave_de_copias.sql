-- A site without BACKUP_KEY encrypts its backups with a key of its own (`propia`), which an organiser writes down (`anotada_at`).
-- A site that has backups already goes on as it is: encrypted backups beside plain ones would be two kinds at one place.
create table clave_de_copias (
  unica boolean primary key default true check (unica),
  propia boolean not null,
  anotada_at timestamptz
);
insert into clave_de_copias (propia) select not exists (select from copias where hecha_at is not null);
