// Messages about uploads that fail, and HTTP statuses by the reason of a refusal, shared by browser and server.

export const UPLOAD_MESSAGES = {
  archivoIncompleto: (file: string) => `El archivo "${file}" no terminó de subir. Súbelo de nuevo.`,
  archivoPerdido: 'Uno de los archivos ya no está en el servidor. Elígelo y súbelo de nuevo.',
  subidaAjena: 'Esta subida no existe o ya caducó. Elige el archivo de nuevo.',
  subidaDesfasada: 'La subida siguió en otra parte. Vuelve a intentarlo.',
  subidaLarga: 'El archivo trajo más datos de los anunciados. Elígelo y súbelo de nuevo.',
  subidasDemasiadas: 'Hay demasiados archivos en este registro. Quita los que sobran o recarga la página.',
  peticion: 'El formulario llegó incompleto o dañado. Recarga la página e inténtalo de nuevo.',
  limite: 'Llegaron demasiados envíos desde tu conexión. Espera unos minutos e inténtalo de nuevo.',
  limiteDelDia:
    'Desde tu conexión ya llegaron demasiados archivos hoy. Inténtalo desde otra, por ejemplo con los datos de tu teléfono, o mañana.',
  saturado: 'En este momento estamos recibiendo demasiados archivos. Espera unos minutos e inténtalo de nuevo.',
  sinEspacio:
    'El servidor se quedó sin espacio para guardar tu archivo. Avisa al comité organizador e inténtalo más tarde.',
  filtro:
    'Algo entre tu equipo y nuestro sitio (un filtro de la escuela, de la empresa, del antivirus o de la compañía telefónica) no deja pasar el envío. Lo que escribiste y elegiste sigue aquí: cambia a otra conexión, por ejemplo a los datos de tu teléfono, y envíalo de nuevo.',
} as const

export const UPLOAD_STATUS = {
  peticion: 400,
  camposDesconocidos: 400,
  entrega: 400,
  archivoVacio: 400,
  nombreArchivo: 400,
  subidaAjena: 404,
  metodo: 405,
  subidaDesfasada: 409,
  subidasDemasiadas: 409,
  archivoGrande: 413,
  archivoTipo: 415,
  archivoIlegible: 422,
  documentoInvalido: 422,
  limite: 429,
  saturado: 429,
  falla: 500,
  sinEspacio: 507,
} as const

/** JSON body of the response to a refused upload. */
export interface UploadRefusal<Reason extends string = string> {
  reason: Reason
  message: string
}
