-- Words that wait to be carried are no longer to be read in the database: subject and both bodies, encrypted together.
-- What was queued before stays as it is, and is carried as it is.
alter table correos
  add column cifrado bytea,
  drop constraint correos_check1,
  add constraint correos_con_palabras
    check (body_text is not null or cifrado is not null or sent_at is not null or failed_at is not null) not valid;
