-- Where a candidate can be written to, if she says so. Registrations of before have no address.
alter table registros add column correo text
  constraint registros_correo_check check (char_length(correo) <= 254);
-- Whether the committee may write by WhatsApp. Registrations of before, and whoever left the box as it is, allow nothing.
alter table registros add column "avisosWhatsApp" text not null default 'No'
  constraint "registros_avisosWhatsApp_check" check ("avisosWhatsApp" in ('No', 'Sí'));
alter table trajes_tipicos add column "avisosWhatsApp" text not null default 'No'
  constraint "trajes_tipicos_avisosWhatsApp_check" check ("avisosWhatsApp" in ('No', 'Sí'));
