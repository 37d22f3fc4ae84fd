-- Several processes may serve one site, each with its own folder for what is on its way in. Only the process over the
-- folder that a plan began in can tell whether it is still being carried out, and has its files.
-- null: from before there was more than one.
alter table entregas add column area uuid;
