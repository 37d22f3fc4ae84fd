-- Where a copy lies, so that those made elsewhere do not count as the night's: a keyed hash of the place, which may be
-- written as an address. And what was said of it that is no failure.
alter table copias add column destino_huella text, add column aviso text;
