-- Deleting an entry takes its submissions along, and finds them here.
create index entregas_inscripcion on entregas (inscripcion_id) where inscripcion_id is not null;
