import { quantity } from '#app/core/text/quantity.ts'
import { formatNumericDateTime } from '#app/core/time/mexico-dates.ts'

/** The choice of entries in an export, by the filters that are set. The search text is left out, since it may be a name. */
interface ExportScope {
  edicion: number
  /** Number of entries that were ticked one by one. `ids` lists the first of them. */
  elegidas?: number | undefined
  ids?: readonly number[] | undefined
  tipo?: string | undefined
  estado?: string | undefined
  fueraDeEdad?: boolean | undefined
  conBusqueda?: boolean | undefined
  /** Whether the export includes full-body photographs, which the panel hides by default. */
  conCuerpo?: boolean | undefined
}

/** The new value of an edition's setting. Without `valor`, the content's value or the default applies again. */
interface SettingChange {
  edicion: number
  valor?: unknown
  /** The value in Spanish words, for a value that needs an explanation. */
  sobre?: string | undefined
}

/** An action and its subject. `cuenta` is an account's id, `edicion` a year; other numbers of a subject are ids of rows. */
export type AuditEvent =
  | { que: 'acceso' | 'acceso.codigo' | 'acceso.google' | 'acceso.jurado' | 'salida' }
  /**
   * A failed sign-in or reauthentication: of an account, of an address without an account (`rastro` is its keyed hash), or by Google
   * or a passkey without a known account.
   */
  | ({ que: 'acceso.fallido' } & ({ cuenta: string } | { rastro: string } | { via: 'google' | 'llave' }))
  | { que: 'acreditacion' | 'cuenta.clave' | 'cuenta.enlace' | 'cuenta.correo'; cuenta: string }
  | { que: 'cuenta.baja' | 'cuenta.baja.pedida' | 'cuenta.baja.detenida'; cuenta: string }
  | { que: 'acceso.segundo' | 'acceso.llave' }
  | { que: 'acceso.fallido.segundo'; cuenta: string }
  | {
      que:
        | 'cuenta.segundo.puesto'
        | 'cuenta.segundo.quitado'
        | 'cuenta.segundo.respaldos'
        | 'cuenta.segundo.respaldo-usado'
        | 'cuenta.segundo.adivinado'
        | 'cuenta.segundo.llave'
        | 'cuenta.segundo.llave-quitada'
      cuenta: string
    }
  | { que: 'sesion.terminada'; cuenta: string }
  | { que: `cuenta.${'creada' | 'rol'}.${AccountRole}`; cuenta: string }
  /** `falla` is the reason why the document could not be shown. */
  | {
      que: 'documento.visto' | 'documento.bajado' | 'documento.bajado.sinMarca'
      documento: number
      inscripcion: number
      falla?: string | undefined
    }
  /** Without `documento`, the opened file is the entry's metadata. */
  | { que: 'documento.original'; documento?: number | undefined; inscripcion: number }
  | {
      que:
        | 'inscripcion.recibida'
        | 'inscripcion.en-revision'
        | 'inscripcion.falta-documento'
        | 'inscripcion.aceptada'
        | 'inscripcion.rechazada'
        /** A requested document arrived again, and the entry's state did not change. */
        | 'inscripcion.documento'
      inscripcion: number
    }
  /** Contact data was corrected. Only field names are logged, since the values are deleted with the entry. */
  | { que: 'inscripcion.contacto'; inscripcion: number; campos: readonly ('celular' | 'correo')[] }
  | ({ que: 'exporte.csv' | 'exporte.xlsx' | 'exporte.zip' | 'exporte.impresion' } & ExportScope)
  | ({
      que:
        | 'ajuste.registro.candidatas'
        | 'ajuste.registro.trajes'
        | 'ajuste.prensa.publica'
        | 'ajuste.votacion.ganadora'
        | 'ajuste.privacidad.dias'
        | 'ajuste.correo.cuota'
    } & SettingChange)
  | { que: 'borrado.solicitud' | 'borrado.plazo'; acuse: string; inscripcion: number }
  /** The entry was restored from a backup. */
  | { que: 'inscripcion.devuelta'; inscripcion: number }
  | { que: 'borrado.detenido' | 'borrado.seguido'; edicion: number }
  /** A request of the press was dismissed. The journalist is not logged, since she has no account. */
  | { que: 'acreditacion.descartada' }
  | { que: 'reloj.confirmado' | 'respaldo.bajado' | 'respaldo.clave.vista' | 'respaldo.clave.anotada' }
  | { que: 'mensaje.aviso' | 'mensaje.escrito' | 'mensaje.cita-cancelada' | 'peticion.cerrada'; inscripcion: number }
  /** `sobre` is the Spanish name of the occasion whose message text was changed. */
  | { que: 'mensaje.palabras'; sobre: string }
  | { que: 'voto.acta-de-cero' | 'voto.acta-de-cierre'; edicion: number }
  | { que: 'voto.anulados'; anulacion: number }
  /** `tabla` is the end of the exported file's name. */
  | { que: 'voto.exportado'; tabla: string }
  /** `sobre` lists the names of the documents whose draft was discarded. */
  | { que: 'sitio.descartado'; edicion: number; sobre: string }
  /** An entry became a candidate of the draft, whose id is not logged, since it contains her name. */
  | { que: 'sitio.candidata'; edicion: number; inscripcion: number }
  /** `sobre` is the candidate's id. */
  | { que: 'sitio.retirada'; edicion: number; sobre: string }
  | { que: 'sitio.edicion.preparada' | 'sitio.edicion.abierta'; edicion: number }
  /** `sobre` names the round, judge or candidate, and the reason if one was given. */
  | {
      que:
        | 'final.enlace'
        | 'final.enlace.retirado'
        | 'final.abierta'
        | 'final.ronda-abierta'
        | 'final.hoja'
        | 'final.hoja-reabierta'
        | 'final.retiro'
        | 'final.ronda-cerrada'
        | 'final.anulada'
        | 'final.sellada'
        | 'final.publica'
        | 'final.oculta'
      edicion: number
      sobre?: string | undefined
    }
  /** `de` is the id of the earlier publication that was restored. */
  | { que: 'sitio.publicado' | 'sitio.regresado'; edicion: number; publicacion: number; de?: number | undefined }

/** The roles of accounts; app/accounts/rules.ts defines their permissions. */
type AccountRole = 'admin' | 'revision' | 'conteo' | 'sitio' | 'notaria' | 'jurado' | 'prensa'

export type EventName = AuditEvent['que']

const ACTION_NAMES: Readonly<Record<EventName, string>> = {
  acceso: 'Entró con contraseña',
  'acceso.codigo': 'Entró con código',
  'acceso.google': 'Entró con Google',
  'acceso.jurado': 'Entró con el enlace del jurado',
  'acceso.fallido': 'No pudo entrar',
  salida: 'Cerró sesión',
  acreditacion: 'Acreditó a un medio',
  'acreditacion.descartada': 'Quitó de la lista la petición de un medio',
  'cuenta.creada.admin': 'Creó una cuenta de organización',
  'cuenta.creada.prensa': 'Creó una cuenta de prensa',
  'cuenta.creada.revision': 'Creó una cuenta que revisa inscripciones',
  'cuenta.creada.conteo': 'Creó una cuenta que ve el conteo',
  'cuenta.creada.sitio': 'Creó una cuenta que escribe el sitio',
  'cuenta.creada.notaria': 'Creó una cuenta de la notaría de la final',
  'cuenta.creada.jurado': 'Creó una cuenta del jurado',
  'cuenta.rol.admin': 'Dio todo el panel a una cuenta',
  'cuenta.rol.revision': 'Puso a una cuenta a revisar inscripciones',
  'cuenta.rol.conteo': 'Puso a una cuenta a ver el conteo',
  'cuenta.rol.sitio': 'Puso a una cuenta a escribir el sitio',
  'cuenta.rol.notaria': 'Puso a una cuenta en la notaría de la final',
  'cuenta.rol.jurado': 'Puso a una cuenta en el jurado',
  'cuenta.rol.prensa': 'Cambió el rol a prensa',
  'cuenta.clave': 'Cambió la contraseña',
  'cuenta.enlace': 'Mandó un enlace de contraseña',
  'cuenta.correo': 'Cambió el correo de una cuenta',
  'cuenta.baja': 'Dio de baja',
  'cuenta.baja.pedida': 'Pidió dar de baja, dentro de 24 horas',
  'cuenta.baja.detenida': 'Detuvo una baja',
  'acceso.segundo': 'Entró con contraseña y segundo paso',
  'acceso.llave': 'Entró con llave de acceso',
  'acceso.fallido.segundo': 'Supo la contraseña y no pasó el segundo paso',
  'cuenta.segundo.puesto': 'Puso la aplicación de códigos',
  'cuenta.segundo.quitado': 'Quitó el segundo paso',
  'cuenta.segundo.respaldos': 'Hizo códigos de respaldo nuevos',
  'cuenta.segundo.respaldo-usado': 'Entró con un código de respaldo',
  'cuenta.segundo.adivinado': 'Alguien que sabe la contraseña probó códigos y no pasó el segundo paso',
  'cuenta.segundo.llave': 'Agregó una llave de acceso',
  'cuenta.segundo.llave-quitada': 'Quitó una llave de acceso',
  'sesion.terminada': 'Terminó sesiones de una cuenta',
  'documento.visto': 'Vio un documento',
  'documento.bajado': 'Descargó un documento, con la marca si es de identidad',
  'documento.bajado.sinMarca': 'Descargó un documento original, sin marca',
  'documento.original': 'Abrió un archivo original, sin marca, por su dirección fija',
  'inscripcion.recibida': 'Regresó una inscripción a recibida',
  'inscripcion.en-revision': 'Pasó una inscripción a revisión',
  'inscripcion.falta-documento': 'Pidió un documento de nuevo',
  'inscripcion.aceptada': 'Aceptó una inscripción',
  'inscripcion.rechazada': 'Rechazó una inscripción',
  'inscripcion.documento': 'Subió de nuevo un documento',
  'inscripcion.contacto': 'Corrigió el contacto de una inscripción',
  'exporte.csv': 'Exportó la lista en CSV',
  'exporte.xlsx': 'Exportó la lista en Excel',
  'exporte.zip': 'Descargó documentos en ZIP',
  'exporte.impresion': 'Abrió fichas para imprimir',
  'ajuste.registro.candidatas': 'Cambió el periodo de registro de candidatas',
  'ajuste.registro.trajes': 'Cambió el periodo de registro de trajes',
  'ajuste.prensa.publica': 'Cambió quién abre el material de prensa',
  'ajuste.votacion.ganadora': 'Cambió a quién se proclama ganadora',
  'ajuste.privacidad.dias': 'Cambió cuánto se conservan los documentos',
  'ajuste.correo.cuota': 'Cambió cuántos mensajes al día admite el correo',
  'mensaje.aviso': 'Mandó un aviso por correo',
  'mensaje.escrito': 'Le escribió un mensaje',
  'mensaje.cita-cancelada': 'Canceló su cita',
  'peticion.cerrada': 'Quitó de la lista su petición',
  'mensaje.palabras': 'Cambió las palabras de un mensaje',
  'borrado.solicitud': 'Borró una inscripción a solicitud de la persona',
  'inscripcion.devuelta': 'Devolvió una inscripción desde un respaldo',
  'borrado.plazo': 'Se borró una inscripción al vencer su plazo',
  'borrado.detenido': 'Detuvo los borrados por plazo',
  'borrado.seguido': 'Dejó seguir los borrados por plazo',
  'reloj.confirmado': 'Dijo que la hora de la máquina es correcta',
  'respaldo.bajado': 'Se llevó una copia cifrada del sitio',
  'respaldo.clave.vista': 'Vio la clave de los respaldos',
  'respaldo.clave.anotada': 'Dijo que tiene guardada la clave de los respaldos',
  'voto.acta-de-cero': 'Levantó el acta de cero',
  'voto.acta-de-cierre': 'Selló el acta de cierre',
  'voto.anulados': 'Anuló votos',
  'voto.exportado': 'Descargó resultados de la votación',
  'sitio.descartado': 'Descartó el borrador del sitio',
  'sitio.candidata': 'Hizo candidata del sitio a una inscrita',
  'sitio.retirada': 'Retiró a una candidata',
  'sitio.edicion.preparada': 'Preparó una edición',
  'sitio.edicion.abierta': 'Abrió una edición',
  'final.enlace': 'Hizo el enlace de un juez',
  'final.enlace.retirado': 'Cerró el teléfono de un juez',
  'final.abierta': 'Abrió la final',
  'final.ronda-abierta': 'Abrió una ronda de la final',
  'final.hoja': 'Firmó su hoja del jurado',
  'final.hoja-reabierta': 'Reabrió la hoja de un juez',
  'final.retiro': 'Retiró de la final a una candidata',
  'final.ronda-cerrada': 'Cerró una ronda de la final',
  'final.anulada': 'Anuló la final que iba',
  'final.sellada': 'Selló el acta de la final',
  'final.publica': 'Hizo pública el acta de la final',
  'final.oculta': 'Quitó del público el acta de la final',
  'sitio.publicado': 'Publicó el sitio',
  'sitio.regresado': 'Regresó el sitio a una publicación anterior',
}

/** Filters of the audit log: a Spanish label, and the event name that it selects with the names below it; '' selects all. */
export const EVENT_FILTERS: Readonly<Record<string, string>> = {
  Todo: '',
  Entradas: 'acceso',
  'Entradas fallidas': 'acceso.fallido',
  Salidas: 'salida',
  Cuentas: 'cuenta',
  Acreditaciones: 'acreditacion',
  Inscripciones: 'inscripcion',
  'Documentos vistos': 'documento',
  Exportaciones: 'exporte',
  Ajustes: 'ajuste',
  Mensajes: 'mensaje',
  Borrados: 'borrado',
  Votación: 'voto',
  'La final': 'final',
  'El sitio': 'sitio',
}

/** Subject of a line. Fields that are searched or joined have their own columns. `datos` holds all other fields. */
export interface AuditSubject {
  /** Event name. Lines of earlier versions may have names that `EventName` lacks. */
  que: string
  /** Email address of the account that the action concerns, «Votante» for a voter, or the id of an account that is gone. */
  cuenta: string | null
  /** Keyed hash of an email address without an account. */
  rastro: string | null
  inscripcion: number | null
  documento: number | null
  edicion: number | null
  acuse: string | null
  datos: EventData | null
}

/** Event fields without their own column. In lines of earlier versions, `sobre` is the whole text of the subject. */
type EventData = Partial<Omit<ExportScope, 'edicion'>> &
  Partial<Omit<SettingChange, 'edicion'>> & {
    via?: string
    falla?: string
    campos?: readonly string[]
    anulacion?: number
    tabla?: string
  }

/** Returns the action in Spanish. Of an event name of an earlier version, only the separators are replaced. */
export const actionInWords = (eventName: string): string =>
  Object.hasOwn(ACTION_NAMES, eventName)
    ? ACTION_NAMES[eventName as EventName]
    : eventName.replaceAll('.', ' · ').replaceAll('-', ' ')

/** Returns the subject in Spanish, or undefined if the event has none. */
export function subjectInWords(subject: AuditSubject): string | undefined {
  const { que: eventName, cuenta, rastro, inscripcion, documento, edicion, acuse } = subject
  const eventData = subject.datos ?? {}
  if (eventData.sobre !== undefined) return eventData.sobre
  if (eventName.startsWith('ajuste.')) return valueInWords(eventName, eventData.valor)
  if (eventName.startsWith('exporte.')) return exportScopeInWords(edicion, eventData)
  if (cuenta !== null) return cuenta
  if (rastro !== null) return `cuenta ${rastro.slice(0, 6)}`
  if (inscripcion !== null) {
    const detail = acuse === null ? (documento === null ? undefined : `documento ${documento}`) : `acuse ${acuse}`
    const metadata = eventName === 'documento.original' ? 'metadatos' : eventData.campos?.join(' y ')
    const words = [detail ?? metadata, `inscripción ${inscripcion}`].filter(Boolean).join(', ')
    return eventData.falla === undefined ? words : `${words}: ${eventData.falla}`
  }
  const words = eventData.via ?? eventData.tabla ?? eventData.anulacion ?? edicion
  return words === null ? undefined : String(words)
}

function valueInWords(eventName: string, value: unknown): string {
  if (eventName === 'ajuste.correo.cuota')
    return value === undefined || value === null ? 'sin decirlo' : `${value} al día`
  if (value === undefined || value === null) return 'lo que dice el contenido'
  if (eventName === 'ajuste.prensa.publica') return value === true ? 'cualquiera, sin cuenta' : 'sólo prensa acreditada'
  if (eventName === 'ajuste.privacidad.dias') return quantity(Number(value), 'día')
  const { abre, cierra } = value as { abre?: string; cierra?: string }
  if (abre && cierra) return `de ${formatNumericDateTime(new Date(abre))} a ${formatNumericDateTime(new Date(cierra))}`
  return JSON.stringify(value)
}

function exportScopeInWords(edition: number | null, exportScope: Partial<ExportScope>): string {
  const { elegidas, ids = [], tipo, estado, fueraDeEdad, conBusqueda, conCuerpo } = exportScope
  const words = [
    edition !== null && `edición ${edition}`,
    elegidas &&
      `${elegidas} ${elegidas === 1 ? 'elegida' : 'elegidas'}: ${ids.join(' ')}${elegidas > ids.length ? ' …' : ''}`,
    tipo,
    estado,
    fueraDeEdad && 'fuera de edad',
    conBusqueda && 'con búsqueda',
    conCuerpo && 'con fotos de cuerpo',
  ]
  return words.filter(Boolean).join(', ')
}

/** Spanish names of actors without an account, by the line's `desde`. */
const ACCOUNTLESS_ACTORS: Readonly<Record<string, string>> = {
  terminal: 'La terminal',
  sitio: 'El sitio',
  folio: 'La persona, por su folio',
}

export const actorInWords = ({ quien, desde }: { quien: string | null; desde: string | null }): string =>
  quien ?? ACCOUNTLESS_ACTORS[desde ?? ''] ?? 'Nadie conocido'

/** Returns a line's source in Spanish: of a network, six characters of its keyed hash, by which lines can be compared. */
export const networkInWords = (from: string | null): string =>
  from === null ? '—' : Object.hasOwn(ACCOUNTLESS_ACTORS, from) ? from : `red ${from.slice(0, 6)}`
