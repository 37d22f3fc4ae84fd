-- What a line of the log is about gets columns of its own: until now it was a text that had to be read again.
alter table bitacora
  -- The account that it was done to.
  add column cuenta text,
  -- Keyed hash of an address that no account has.
  add column rastro text,
  -- Neither is a reference: the line stays when the entry and its documents are gone.
  add column inscripcion bigint,
  add column documento bigint,
  add column edicion integer,
  -- Receipt of a deletion.
  add column acuse text,
  -- What else the event says (app/bitacora/schema.ts).
  add column datos jsonb;
alter table bitacora add constraint bitacora_datos
  check (jsonb_typeof(datos) = 'object' and char_length(datos::text) <= 4000) not valid;
