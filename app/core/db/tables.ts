// Longer than 350 lines: one row type for each table of the database, and nothing else.
import type { ColumnType, Generated } from 'kysely'

/** Rows as the migrations in db/migrations leave them. */
export interface Tables {
  profiles: ProfilesRow
  accounts: AccountsRow
  sessions: SessionsRow
  enlaces: EnlacesRow
  segundos: SegundosRow
  respaldos: RespaldosRow
  llaves_de_acceso: LlavesDeAccesoRow
  antesalas: AntesalasRow
  bajas: BajasRow
  cambios_de_correo: CambiosDeCorreoRow
  intentos: IntentosRow
  codigos: CodigosRow
  codigos_por_minuto: CodigosPorMinutoRow
  trabajos: TrabajosRow
  bitacora: BitacoraRow
  inscripciones: InscripcionesRow
  registros: FormaRow
  trajes_tipicos: FormaRow
  documentos: DocumentosRow
  cambios: CambiosRow
  correcciones: CorreccionesRow
  solicitudes: SolicitudesRow
  ajustes: AjustesRow
  borrados: BorradosRow
  entregas: EntregasRow
  subidas: SubidasRow
  trozos: TrozosRow
  llegadas_por_red: LlegadasPorRedRow
  turnos: TurnosRow
  correos: CorreosRow
  plantillas: PlantillasRow
  mensajes: MensajesRow
  buzon_de_rebotes: BuzonDeRebotesRow
  novedades: NovedadesRow
  candidatas: CandidatasRow
  banda_digital_votes: VotosRow
  lotes: LotesRow
  votos_por_hora: VotosPorHoraRow
  votos_por_origen: VotosPorOrigenRow
  anulaciones: AnulacionesRow
  votos_anulados: VotosAnuladosRow
  receptores: ReceptoresRow
  origenes: OrigenesRow
  marcas: MarcasRow
  votos_marcados: VotosMarcadosRow
  actas: ActasRow
  cajas: CajasRow
  recuentos: RecuentosRow
  archivos_de_edicion: ArchivosDeEdicionRow
  publicaciones: PublicacionesRow
  ediciones: EdicionesRow
  paginas: PaginasRow
  borradores: BorradoresRow
  retiradas: RetiradasRow
  redirecciones: RedireccionesRow
  candidatas_de_inscripciones: CandidatasDeInscripcionesRow
  visitas: VisitasRow
  escritorios: EscritoriosRow
  asientos_de_final: AsientosDeFinalRow
  copias: CopiasRow
  clave_de_supresiones: ClaveDeSupresionesRow
  supresiones: SupresionesRow
  presencias: PresenciasRow
  reloj_visto: RelojVistoRow
  borrados_anunciados: BorradosAnunciadosRow
  olvidos_anunciados: OlvidosAnunciadosRow
  plazos_detenidos: PlazosDetenidosRow
  diagnosticos: DiagnosticosRow
  guardia: GuardiaRow
  finales_publicas: FinalesPublicasRow
  jueces: JuecesRow
  hojas_sin_firmar: HojasSinFirmarRow
}

interface ProfilesRow {
  id: string
  name: string
  email: string
  email_verified: Generated<boolean>
  image: string | null
  role: 'admin' | 'revision' | 'conteo' | 'sitio' | 'notaria' | 'jurado' | 'prensa' | null
  medio: string | null
  vigente_hasta: Date | null
  baja_at: Date | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

interface AccountsRow {
  id: string
  user_id: string
  account_id: string
  provider_id: string
  password: string | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

interface SessionsRow {
  id: string
  token: string
  user_id: string
  expires_at: Date
  vence_at: Date
  created_at: Generated<Date>
  confirmada_at: Generated<Date>
  equipo: string | null
  sin_consejo: Generated<boolean>
  /** Null: not since it was opened. */
  usada_at: Date | null
}

interface SegundosRow {
  user_id: string
  secreto: Buffer
  mostrado_at: Generated<Date>
  activo_at: Date | null
  ultimo: Generated<number>
}

interface RespaldosRow {
  user_id: string
  huella: string
}

interface LlavesDeAccesoRow {
  id: string
  user_id: string
  nombre: string
  publica: Buffer
  usos: number
  transportes: Generated<string>
  created_at: Generated<Date>
  usada_at: Date | null
}

interface AntesalasRow {
  huella: string
  user_id: string
  equipo: string | null
  intentos: Generated<number>
  vence_at: Date
}

interface BajasRow {
  user_id: string
  pedida_por: string
  pedida_at: Date
  surte_at: Date
}

interface CambiosDeCorreoRow {
  user_id: string
  correo: string
  huella: string
  intentos: Generated<number>
  vence_at: Date
}

interface EnlacesRow {
  user_id: string
  huella: string
  vence_at: Date
  created_at: Generated<Date>
  recupera: Generated<boolean>
}

interface IntentosRow {
  rastro: string
  cuenta: number
  libre_at: Date
  ultimo_at: Date
}

interface CodigosRow {
  navegador: string
  direccion: string
  envio: string
  enviado_at: Date
  valor: string
  intentos: Generated<number>
  red: string
  vence_at: Date
}

interface CodigosPorMinutoRow {
  minuto: Date
  enviados: Generated<number>
  usados: Generated<number>
  fallos: Generated<number>
}

interface TrabajosRow {
  huella: string
  hasta: Date
}

/** Rows are added, never changed. */
interface BitacoraRow {
  id: ColumnType<number, never, never>
  at: ColumnType<Date, never, never>
  que: ColumnType<string, string, never>
  quien: ColumnType<string | null, string | null, never>
  desde: ColumnType<string, string, never>
  cuenta: ColumnType<string | null, string | null, never>
  rastro: ColumnType<string | null, string | null, never>
  inscripcion: ColumnType<number | null, number | null, never>
  documento: ColumnType<number | null, number | null, never>
  edicion: ColumnType<number | null, number | null, never>
  acuse: ColumnType<string | null, string | null, never>
  /** JSON text on the way in, parsed on the way out; its shape belongs to app/audit. */
  datos: ColumnType<Record<string, unknown> | null, string | null, never>
}

type EstadoInscripcion = 'recibida' | 'en-revision' | 'aceptada' | 'rechazada' | 'falta-documento'

interface InscripcionesRow {
  id: Generated<number>
  tipo: 'candidata' | 'traje'
  edicion: number
  folio: string
  titular: string
  /** The costume's name; null for a candidate. */
  detalle: string | null
  /** Null for a costume. */
  edad: number | null
  correo: string | null
  celular: string
  estado: Generated<EstadoInscripcion>
  version: Generated<number>
  created_at: Date
  busqueda: ColumnType<string, never, never>
}

/** What both forms' tables have; their other columns are the fields that each form asks for, which only its noun knows. */
interface FormaRow {
  id: Generated<number>
  inscripcion_id: number
  carpeta: string
  metadata_path: string
  created_at: Date
}

interface DocumentosRow {
  id: Generated<number>
  inscripcion_id: number
  clase:
    | 'actaNacimiento'
    | 'credencialElector'
    | 'constanciaEstudios'
    | 'fotoRostro'
    | 'fotoCuerpo'
    | 'bocetoFrontal'
    | 'bocetoPosterior'
    | 'identificacion'
  lado: 'anverso' | 'reverso' | null
  path: string
  nombre_archivo: string
  content_type: string
  size_bytes: number
  sha256: string
  recibido_at: Generated<Date>
  /** When another document took its place; null: this is the one that counts. */
  reemplazado_at: Date | null
}

interface CambiosRow {
  id: Generated<number>
  inscripcion_id: number
  at: Generated<Date>
  de: EstadoInscripcion
  a: EstadoInscripcion
  nota: string | null
  para_persona: Generated<boolean>
  quien: string | null
}

interface CorreccionesRow {
  id: Generated<number>
  inscripcion_id: number
  at: Generated<Date>
  campo: 'celular' | 'correo'
  antes: string | null
  ahora: string | null
  quien: string | null
}

interface SolicitudesRow {
  id: Generated<number>
  inscripcion_id: number
  clase: DocumentosRow['clase']
  lado: DocumentosRow['lado']
  nota: string
  quien: string | null
  pedida_at: Generated<Date>
  cumplida_at: Date | null
  retirada_at: Date | null
}

interface AjustesRow {
  edicion: number
  nombre: string
  valor: ColumnType<unknown, string, string>
  version: Generated<number>
  quien: string | null
  updated_at: Generated<Date>
}

interface BorradosRow {
  inscripcion_id: number
  acuse: string
  bucket: string
  carpeta: string
  motivo: 'solicitud' | 'plazo'
  quien: string | null
  at: Generated<Date>
}

interface RelojVistoRow {
  unico: Generated<boolean>
  visto_at: Date
  corrido_ms: Generated<number>
}

interface BorradosAnunciadosRow {
  inscripcion_id: number
  anunciado_at: Date
  corrido_ms: number | null
}

interface OlvidosAnunciadosRow {
  edicion: number
  anunciado_at: Date
  corrido_ms: number | null
}

interface PlazosDetenidosRow {
  edicion: number
  detenido_at: Generated<Date>
  quien: string | null
}

interface DiagnosticosRow {
  de: string
  titulo: string
  nivel: 'ok' | 'aviso' | 'falla'
  dice: string
  remedio: string | null
  desde: Date
  visto_at: Date
}

interface GuardiaRow {
  unica: Generated<boolean>
  quien: string
  at: Date
}

interface EntregasRow {
  key: string
  estado: 'guardando' | 'guardada'
  huella: string
  /** JSON text on the way in, parsed on the way out; its shape belongs to app/entries. */
  plan: ColumnType<unknown, string, string | null>
  tipo: Generated<'candidata' | 'traje'>
  inscripcion_id: number | null
  /** The attempt that wrote the plan. */
  area: string | null
  created_at: Generated<Date>
}

interface SubidasRow {
  id: string
  de: 'registros' | 'edicion'
  key: string
  nombre_archivo: string
  /** JSON text on the way in, parsed on the way out; its shape belongs to the noun that takes the upload. */
  datos: ColumnType<unknown, string, string>
  bytes: number | null
  recibidos: Generated<number>
  orden: number
  redes: Generated<string[]>
  /** Like `datos`: sum and type of a file that was accepted. */
  sellada: ColumnType<unknown, string | null, string | null>
  oida_at: Date | null
  creada_at: Generated<Date>
  del_sitio_at: Date
}

interface TrozosRow {
  subida_id: string
  desde: number
  bytes: number
  objeto: string
}

interface LlegadasPorRedRow {
  de: string
  red: string
  que: 'comienzo' | 'envio' | 'bytes'
  desde: Generated<Date>
  cuenta: number
}

interface TurnosRow {
  que: string
  quien: string
  hasta: Date
}

interface CorreosRow {
  id: Generated<number>
  idempotency_key: string
  message_id: Generated<string>
  kind: string
  /** 0 goes before 1. */
  priority: 0 | 1
  /** Whether the row is deleted, not only wiped, once the message is done with. */
  pasajero: Generated<boolean>
  /** A code that was asked for from where none has been used yet: it goes after those of the same priority. */
  ajeno: Generated<boolean>
  inscripcion_id: number | null
  recipient: string
  /** Words in plain: of messages that were queued before words were encrypted. Null once they are wiped. */
  subject: ColumnType<string | null, string | undefined, null>
  body_text: ColumnType<string | null, string | undefined, null>
  body_html: ColumnType<string | null, string | undefined, null>
  /** Subject and both bodies, encrypted; null once they are wiped. */
  cifrado: Buffer | null
  created_at: Generated<Date>
  not_before: Generated<Date>
  expires_at: Date
  attempts: Generated<number>
  sent_at: Date | null
  failed_at: Date | null
  last_error: string | null
  /** There was no mail server: it lies in the data folder, and nobody got it. */
  en_carpeta: Generated<boolean>
  /** When a delivery report said that it came back, and with which status (RFC 3463). */
  rebotado_at: Date | null
  rebote: string | null
}

type Ocasion = 'aceptada' | 'rechazada' | 'falta-documento'

/** Rows are added, never changed. */
interface PlantillasRow {
  ocasion: Ocasion
  version: number
  asunto: string
  titulo: string
  texto: string
  quien: string | null
  at: Date
}

interface MensajesRow {
  id: Generated<number>
  inscripcion_id: number
  ocasion: Ocasion
  paso: number
  vez: number
  version: number
  correo_id: number
  quien: string | null
  at: Date
}

interface BuzonDeRebotesRow {
  huella: string
  uidvalidity: number | null
  uid: number | null
  tomado_hasta: Generated<Date>
  leido_at: Date | null
  falla: 'conexion' | 'entrada' | 'carpeta' | 'respuesta' | null
}

interface NovedadesRow {
  user_id: string
  cuando: Generated<'diario' | 'al-momento' | 'nunca'>
  hasta: Date
  correos_hasta: Generated<Date>
  dicho_at: Date | null
}

interface CandidatasRow {
  edicion: number
  nombre: string
  id: string
  firma: Buffer
  at: Date
}

interface VotosRow {
  id: ColumnType<number, never, never>
  user_id: string
  candidata: string | null
  edicion: number
  correo: Buffer | null
  recibo: string | null
  intento: string | null
  firma: Buffer | null
  red: string | null
  bloque: string | null
  dominio: string | null
  sospecha: 'red' | 'dominio' | 'desechable' | 'servicio' | null
  lote: ColumnType<number | null, never, number>
  created_at: Date
}

interface LotesRow {
  edicion: number
  numero: number
  anterior: string
  sello: string
  firma: Buffer
  papeletas: number
  sellado_at: Date
  avisado: Generated<boolean>
}

interface CajasRow {
  edicion: number
  numero: number
  anterior: string
  sello: string
  firma: Buffer
  papeletas: number
  desde_lote: number
  hasta_lote: number
  cerrada_at: Date
}

interface VotosPorHoraRow {
  edicion: number
  hora: Date
  candidata: string
  votos: number
}

interface VotosPorOrigenRow {
  edicion: number
  tramo: Date
  clase: 'red' | 'dominio' | 'bloque'
  origen: string
  votos: number
  sospechosos: Generated<number>
}

interface ReceptoresRow {
  edicion: number
  dominio: string
  receptor: string
  alojamiento: boolean
  firma: Buffer
  at: Date
}

interface OrigenesRow {
  edicion: number
  clase: string
  origen: string
  votos: number
  desde_lote: number
}

interface MarcasRow {
  id: Generated<number>
  edicion: number
  clase: ClaseDeMarca
  origen: string
  tramo: Date | null
  umbral: number
  al_marcar: number
  firma: Buffer
  at: Date
  votos: Generated<number>
  nuevos: Generated<number>
}

/** What a mark is on: an origin of the whole edition, a burst from one, or what versions before had marked. */
export type ClaseDeMarca =
  | 'dominio'
  | 'receptor'
  | 'alojamiento'
  | 'desechable'
  | 'servicio'
  | 'rafaga-red'
  | 'rafaga-bloque'
  | 'antes-red'
  | 'antes-dominio'

interface VotosMarcadosRow {
  voto_id: number
  marca_id: number
}

interface AnulacionesRow {
  id: Generated<number>
  edicion: number
  motivo: string
  votos: number
  conteo: ColumnType<Record<string, number>, string, never>
  firma: Buffer
  quien: string
  at: Date
  marca_id: number | null
}

interface VotosAnuladosRow {
  voto_id: number
  anulacion_id: number
}

interface ActasRow {
  edicion: number
  clase: 'apertura' | 'reglas' | 'cierre-movido' | 'cierre'
  /** Counts the moves of the closing; 1 for every other act. */
  numero: Generated<number>
  contenido: string
  sello: string
  firma: Buffer
  quien: string | null
  at: Date
}

interface RecuentosRow {
  edicion: number
  at: Date
  papeletas: number
  lotes: number
  ultimo: string
  anulados: number
  actas: number
  fallas: ColumnType<string[], string, string>
  firma: Buffer | null
  cajas: Generated<number>
  ultima_caja: string | null
  alterado: Generated<boolean>
}

interface ArchivosDeEdicionRow {
  sha256: string
  tipo: string
  bytes: number
  ancho: number | null
  alto: number | null
  vista: string | null
  guardado: Generated<boolean>
  created_at: Generated<Date>
}

interface PublicacionesRow {
  id: Generated<number>
  edicion: number
  huella: string
  valores: ColumnType<Record<string, unknown>, string, string>
  archivos: ColumnType<Record<string, string>, string, string>
  origen: 'carpeta' | 'importada' | 'panel' | 'regreso'
  de: number | null
  borrador: number | null
  quien: string | null
  nota: Generated<string>
  estado: Generated<'preparando' | 'publicada' | 'fallida'>
  fallas: ColumnType<{ archivo: string; campo: string; remedio: string }[] | null, string | null, string | null>
  /** The act that is in force together with it. */
  acta: ColumnType<Record<string, unknown> | null, string | null | undefined, string | null>
  created_at: Date
  publicada_at: Date | null
}

interface EdicionesRow {
  anio: number
  publicacion: number | null
  actual: Generated<boolean>
  abierta_at: Date | null
}

interface PaginasRow {
  publicacion: number
  construccion: string
  ruta: string
  cabeceras: ColumnType<Record<string, string>, string, string>
  cuerpo: Buffer
}

interface BorradoresRow {
  edicion: number
  documento: string
  valor: ColumnType<unknown, string, string>
  version: number
  quien: string | null
  updated_at: Date
}

interface RetiradasRow {
  edicion: number
  candidata: string
  quien: string | null
  at: Date
  nombres: ColumnType<string[], string | undefined, string>
  sumas: ColumnType<string[], string | undefined, string>
  limpia: Generated<boolean>
}

interface RedireccionesRow {
  desde: string
  hacia: string
  at: Date
}

interface CandidatasDeInscripcionesRow {
  inscripcion_id: number
  edicion: number
  candidata: string
  at: Date
}

/** Rows are added to. */
interface VisitasRow {
  /** A day, like 2025-09-12. */
  dia: string
  que: 'pantalla' | 'patrocinador' | 'compartido'
  cual: string
  fuente: string
  cuenta: number
}

interface EscritoriosRow {
  user_id: string
  desde: Date
  at: Date
}

interface AsientosDeFinalRow {
  edicion: number
  numero: number
  /** JSON, as it was sealed. */
  contenido: string
  sello: string
  firma: Buffer
  /** The request that it came by, where the same one may come again. */
  clave: string | null
  quien: string | null
  at: Date
}

interface FinalesPublicasRow {
  edicion: number
  quien: string
  at: Date
}

interface JuecesRow {
  edicion: number
  numero: number
  nombre: string
  user_id: string | null
  huella: string | null
  vence_at: Date | null
  usado_at: Date | null
  usado_por: string | null
}

interface HojasSinFirmarRow {
  edicion: number
  ronda: number
  juez: number
  /** JSON: tenths by candidate, null where nothing was given yet. */
  calificaciones: ColumnType<Record<string, (number | null)[]>, string, string>
  at: Date
}

interface CopiasRow {
  id: Generated<number>
  copia: string
  destino: string
  empezada_at: Generated<Date>
  hecha_at: Date | null
  bytes: number | null
  objetos: number | null
  falla: string | null
  ensayada_at: Date | null
  ensayo_falla: string | null
  destino_huella: string | null
  aviso: string | null
}

interface ClaveDeSupresionesRow {
  unica: Generated<boolean>
  clave: Generated<Buffer>
}

interface SupresionesRow {
  huella: string
  at: Date
  vuelve: Generated<boolean>
}

interface PresenciasRow {
  quien: string
  que: 'sitio' | 'mudanza'
  at: Date
}
