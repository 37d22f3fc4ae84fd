alter table bitacora drop column sobre;
