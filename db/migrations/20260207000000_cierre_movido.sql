-- While a vote is open its closing may be moved, each time by an act of its own. It waits with the publication that moves
-- the date, sealed, and is an act from the moment at which that publication is in force.
alter table actas drop constraint actas_clase_check;
alter table actas add constraint actas_clase_check check (clase in ('apertura', 'reglas', 'cierre-movido', 'cierre'));
alter table actas add column numero smallint not null default 1;
alter table actas add constraint actas_numero_check check (numero = 1 or (numero > 1 and clase = 'cierre-movido'));
alter table actas drop constraint actas_pkey;
alter table actas add primary key (edicion, clase, numero);
alter table publicaciones add column acta jsonb;
