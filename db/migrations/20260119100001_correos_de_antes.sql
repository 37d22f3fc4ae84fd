update correos set pasajero = true where kind in ('codigo', 'puerta');
update correos set inscripcion_id = inscripciones.id from inscripciones
  where idempotency_key = 'inscripcion:' || inscripciones.folio;
update correos set inscripcion_id = solicitudes.inscripcion_id from solicitudes
  where idempotency_key = 'documento:' || solicitudes.id;
