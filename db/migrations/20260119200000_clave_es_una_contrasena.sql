-- «clave» is a password and nothing else. A rename changes no row.
alter table intentos rename column clave to rastro;
alter table enlaces rename column clave to huella;
alter table ajustes rename column clave to nombre;
