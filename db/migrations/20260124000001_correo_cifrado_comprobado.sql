alter table correos validate constraint correos_con_palabras;
create index correos_cifrados_por_borrar on correos (coalesce(sent_at, failed_at)) where cifrado is not null;
