-- How many entries there are by form and state, counted without reading the entries.
create index inscripciones_cuentas on inscripciones (edicion, tipo, estado);
-- The log, filtered by what was done.
create index bitacora_que on bitacora (que, id);
