-- A vote may come from a service that gives one account many addresses; those of all such services are an origin.
alter table banda_digital_votes drop constraint banda_digital_votes_sospecha_check;
alter table banda_digital_votes add constraint banda_digital_votes_sospecha_check
  check (sospecha in ('red', 'dominio', 'desechable', 'servicio')) not valid;
alter table marcas drop constraint marcas_clase_check;
alter table marcas add constraint marcas_clase_check check (clase in ('dominio', 'receptor', 'alojamiento', 'desechable',
  'servicio', 'rafaga-red', 'rafaga-bloque', 'antes-red', 'antes-dominio')) not valid;
