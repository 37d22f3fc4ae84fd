-- Whether the person reads the note of a change by the folio, too; else it is for the organisers alone.
alter table cambios add column para_persona boolean not null default false;
