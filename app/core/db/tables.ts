// Longer than 350 lines: one row type for each table of the database, and nothing else.
import type { ColumnType, Generated } from 'kysely'

/** Rows as the migrations in db/migrations define them. */
export interface Tables {
  profiles: ProfilesRow
  accounts: AccountsRow
  sessions: SessionsRow
  enlaces: PasswordLinksRow
  segundos: SecondFactorsRow
  respaldos: RecoveryCodesRow
  llaves_de_acceso: PasskeysRow
  antesalas: PendingSignInsRow
  bajas: DeactivationsRow
  cambios_de_correo: EmailChangesRow
  intentos: AttemptsRow
  codigos: CodesRow
  codigos_por_minuto: CodesPerMinuteRow
  trabajos: SpentWorkRow
  bitacora: AuditLogRow
  inscripciones: EntriesRow
  registros: FormRow
  trajes_tipicos: FormRow
  documentos: DocumentsRow
  cambios: StateChangesRow
  correcciones: CorrectionsRow
  solicitudes: DocumentRequestsRow
  ajustes: SettingsRow
  borrados: DeletionsRow
  entregas: SubmissionsRow
  subidas: UploadsRow
  trozos: ChunksRow
  llegadas_por_red: ArrivalsByNetworkRow
  turnos: LeasesRow
  correos: MailsRow
  plantillas: TemplatesRow
  mensajes: MessagesRow
  buzon_de_rebotes: BounceMailboxRow
  novedades: DigestsRow
  candidatas: CandidatesRow
  banda_digital_votes: VotesRow
  lotes: BatchesRow
  votos_por_hora: VotesPerHourRow
  votos_por_origen: VotesPerOriginRow
  anulaciones: AnnulmentsRow
  votos_anulados: AnnulledVotesRow
  receptores: MailReceiversRow
  origenes: OriginsRow
  marcas: FlagsRow
  votos_marcados: FlaggedVotesRow
  actas: RecordsRow
  cajas: BlocksRow
  recuentos: RecountsRow
  archivos_de_edicion: EditionFilesRow
  publicaciones: PublicationsRow
  ediciones: EditionsRow
  paginas: PagesRow
  borradores: DraftsRow
  retiradas: WithdrawalsRow
  redirecciones: RedirectsRow
  candidatas_de_inscripciones: EntryCandidatesRow
  visitas: VisitsRow
  escritorios: InboxesRow
  asientos_de_final: FinalRecordEntriesRow
  copias: BackupsRow
  clave_de_supresiones: ErasureKeyRow
  supresiones: ErasuresRow
  presencias: PresencesRow
  reloj_visto: SeenClockRow
  borrados_anunciados: AnnouncedDeletionsRow
  olvidos_anunciados: AnnouncedErasuresRow
  plazos_detenidos: HeldRetentionsRow
  diagnosticos: DiagnosesRow
  guardia: WatchDutyRow
  finales_publicas: PublicFinalsRow
  jueces: JudgesRow
  hojas_sin_firmar: UnsignedSheetsRow
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
  /** Null: not used since it was opened. */
  usada_at: Date | null
}

interface SecondFactorsRow {
  user_id: string
  secreto: Buffer
  mostrado_at: Generated<Date>
  activo_at: Date | null
  ultimo: Generated<number>
}

interface RecoveryCodesRow {
  user_id: string
  huella: string
}

interface PasskeysRow {
  id: string
  user_id: string
  nombre: string
  publica: Buffer
  usos: number
  transportes: Generated<string>
  created_at: Generated<Date>
  usada_at: Date | null
}

interface PendingSignInsRow {
  huella: string
  user_id: string
  equipo: string | null
  intentos: Generated<number>
  vence_at: Date
}

interface DeactivationsRow {
  user_id: string
  pedida_por: string
  pedida_at: Date
  surte_at: Date
}

interface EmailChangesRow {
  user_id: string
  correo: string
  huella: string
  intentos: Generated<number>
  vence_at: Date
}

interface PasswordLinksRow {
  user_id: string
  huella: string
  vence_at: Date
  created_at: Generated<Date>
  recupera: Generated<boolean>
}

interface AttemptsRow {
  rastro: string
  cuenta: number
  libre_at: Date
  ultimo_at: Date
}

interface CodesRow {
  navegador: string
  direccion: string
  envio: string
  enviado_at: Date
  valor: string
  intentos: Generated<number>
  red: string
  vence_at: Date
}

interface CodesPerMinuteRow {
  minuto: Date
  enviados: Generated<number>
  usados: Generated<number>
  fallos: Generated<number>
}

interface SpentWorkRow {
  huella: string
  hasta: Date
}

/** Rows are added, never changed. */
interface AuditLogRow {
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
  /** JSON text when written, parsed when read; app/audit defines its shape. */
  datos: ColumnType<Record<string, unknown> | null, string | null, never>
}

type EntryState = 'recibida' | 'en-revision' | 'aceptada' | 'rechazada' | 'falta-documento'

interface EntriesRow {
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
  estado: Generated<EntryState>
  version: Generated<number>
  created_at: Date
  busqueda: ColumnType<string, never, never>
}

/** Columns that both forms' tables share; the fields of each form are defined in app/entries/definitions. */
interface FormRow {
  id: Generated<number>
  inscripcion_id: number
  carpeta: string
  metadata_path: string
  created_at: Date
}

interface DocumentsRow {
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
  /** When another document replaced this one; null: this one is in force. */
  reemplazado_at: Date | null
}

interface StateChangesRow {
  id: Generated<number>
  inscripcion_id: number
  at: Generated<Date>
  de: EntryState
  a: EntryState
  nota: string | null
  para_persona: Generated<boolean>
  quien: string | null
}

interface CorrectionsRow {
  id: Generated<number>
  inscripcion_id: number
  at: Generated<Date>
  campo: 'celular' | 'correo'
  antes: string | null
  ahora: string | null
  quien: string | null
}

interface DocumentRequestsRow {
  id: Generated<number>
  inscripcion_id: number
  clase: DocumentsRow['clase']
  lado: DocumentsRow['lado']
  nota: string
  quien: string | null
  pedida_at: Generated<Date>
  cumplida_at: Date | null
  retirada_at: Date | null
}

interface SettingsRow {
  edicion: number
  nombre: string
  valor: ColumnType<unknown, string, string>
  version: Generated<number>
  quien: string | null
  updated_at: Generated<Date>
}

interface DeletionsRow {
  inscripcion_id: number
  acuse: string
  bucket: string
  carpeta: string
  motivo: 'solicitud' | 'plazo'
  quien: string | null
  at: Generated<Date>
}

interface SeenClockRow {
  unico: Generated<boolean>
  visto_at: Date
  corrido_ms: Generated<number>
}

interface AnnouncedDeletionsRow {
  inscripcion_id: number
  anunciado_at: Date
  corrido_ms: number | null
}

interface AnnouncedErasuresRow {
  edicion: number
  anunciado_at: Date
  corrido_ms: number | null
}

interface HeldRetentionsRow {
  edicion: number
  detenido_at: Generated<Date>
  quien: string | null
}

interface DiagnosesRow {
  de: string
  titulo: string
  nivel: 'ok' | 'aviso' | 'falla'
  dice: string
  remedio: string | null
  desde: Date
  visto_at: Date
}

interface WatchDutyRow {
  unica: Generated<boolean>
  quien: string
  at: Date
}

interface SubmissionsRow {
  key: string
  estado: 'guardando' | 'guardada'
  huella: string
  /** JSON text when written, parsed when read; app/entries defines its shape. */
  plan: ColumnType<unknown, string, string | null>
  tipo: Generated<'candidata' | 'traje'>
  inscripcion_id: number | null
  /** The attempt that wrote the plan. */
  area: string | null
  created_at: Generated<Date>
}

interface UploadsRow {
  id: string
  de: 'registros' | 'edicion'
  key: string
  nombre_archivo: string
  /** JSON text when written, parsed when read; its shape belongs to the area that takes the upload (`de`). */
  datos: ColumnType<unknown, string, string>
  bytes: number | null
  recibidos: Generated<number>
  orden: number
  redes: Generated<string[]>
  /** SHA-256 and type of an accepted file, as JSON like `datos`. */
  sellada: ColumnType<unknown, string | null, string | null>
  oida_at: Date | null
  creada_at: Generated<Date>
  del_sitio_at: Date
}

interface ChunksRow {
  subida_id: string
  desde: number
  bytes: number
  objeto: string
}

interface ArrivalsByNetworkRow {
  de: string
  red: string
  que: 'comienzo' | 'envio' | 'bytes'
  desde: Generated<Date>
  cuenta: number
}

interface LeasesRow {
  que: string
  quien: string
  hasta: Date
}

interface MailsRow {
  id: Generated<number>
  idempotency_key: string
  message_id: Generated<string>
  kind: string
  /** Messages with 0 are sent before messages with 1. */
  priority: 0 | 1
  /** Whether the row is deleted, not only wiped, once the message is done. */
  pasajero: Generated<boolean>
  /** Whether a code goes to a place where none has ever been used: it is sent after others of the same priority. */
  ajeno: Generated<boolean>
  inscripcion_id: number | null
  recipient: string
  /** Plain text, only of messages queued before encryption was introduced. Null once wiped. */
  subject: ColumnType<string | null, string | undefined, null>
  body_text: ColumnType<string | null, string | undefined, null>
  body_html: ColumnType<string | null, string | undefined, null>
  /** Subject and both bodies, encrypted; null once wiped. */
  cifrado: Buffer | null
  created_at: Generated<Date>
  not_before: Generated<Date>
  expires_at: Date
  attempts: Generated<number>
  sent_at: Date | null
  failed_at: Date | null
  last_error: string | null
  /** Whether the message only went to the data folder, for lack of a mail server. */
  en_carpeta: Generated<boolean>
  /** When a delivery report announced the bounce; `rebote` is its status code (RFC 3463). */
  rebotado_at: Date | null
  rebote: string | null
}

type Occasion = 'aceptada' | 'rechazada' | 'falta-documento'

/** Rows are added, never changed. */
interface TemplatesRow {
  ocasion: Occasion
  version: number
  asunto: string
  titulo: string
  texto: string
  quien: string | null
  at: Date
}

interface MessagesRow {
  id: Generated<number>
  inscripcion_id: number
  ocasion: Occasion
  paso: number
  vez: number
  version: number
  correo_id: number
  quien: string | null
  at: Date
}

interface BounceMailboxRow {
  huella: string
  uidvalidity: number | null
  uid: number | null
  tomado_hasta: Generated<Date>
  leido_at: Date | null
  falla: 'conexion' | 'entrada' | 'carpeta' | 'respuesta' | null
}

interface DigestsRow {
  user_id: string
  cuando: Generated<'diario' | 'al-momento' | 'nunca'>
  hasta: Date
  correos_hasta: Generated<Date>
  dicho_at: Date | null
}

interface CandidatesRow {
  edicion: number
  nombre: string
  id: string
  firma: Buffer
  at: Date
}

interface VotesRow {
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

interface BatchesRow {
  edicion: number
  numero: number
  anterior: string
  sello: string
  firma: Buffer
  papeletas: number
  sellado_at: Date
  avisado: Generated<boolean>
}

interface BlocksRow {
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

interface VotesPerHourRow {
  edicion: number
  hora: Date
  candidata: string
  votos: number
}

interface VotesPerOriginRow {
  edicion: number
  tramo: Date
  clase: 'red' | 'dominio' | 'bloque'
  origen: string
  votos: number
  sospechosos: Generated<number>
}

interface MailReceiversRow {
  edicion: number
  dominio: string
  receptor: string
  alojamiento: boolean
  firma: Buffer
  at: Date
}

interface OriginsRow {
  edicion: number
  clase: string
  origen: string
  votos: number
  desde_lote: number
}

interface FlagsRow {
  id: Generated<number>
  edicion: number
  clase: FlagKind
  origen: string
  tramo: Date | null
  umbral: number
  al_marcar: number
  firma: Buffer
  at: Date
  votos: Generated<number>
  nuevos: Generated<number>
}

/** Target of a flag: an origin over the whole edition, a burst from one, or a mark by an earlier version (`antes-`). */
export type FlagKind =
  | 'dominio'
  | 'receptor'
  | 'alojamiento'
  | 'desechable'
  | 'servicio'
  | 'rafaga-red'
  | 'rafaga-bloque'
  | 'antes-red'
  | 'antes-dominio'

interface FlaggedVotesRow {
  voto_id: number
  marca_id: number
}

interface AnnulmentsRow {
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

interface AnnulledVotesRow {
  voto_id: number
  anulacion_id: number
}

interface RecordsRow {
  edicion: number
  clase: 'apertura' | 'reglas' | 'cierre-movido' | 'cierre'
  /** Counts the moves of the closing; 1 for every other record. */
  numero: Generated<number>
  contenido: string
  sello: string
  firma: Buffer
  quien: string | null
  at: Date
}

interface RecountsRow {
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

interface EditionFilesRow {
  sha256: string
  tipo: string
  bytes: number
  ancho: number | null
  alto: number | null
  vista: string | null
  guardado: Generated<boolean>
  created_at: Generated<Date>
}

interface PublicationsRow {
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
  /** The record that comes into force with the publication. */
  acta: ColumnType<Record<string, unknown> | null, string | null | undefined, string | null>
  created_at: Date
  publicada_at: Date | null
}

interface EditionsRow {
  anio: number
  publicacion: number | null
  actual: Generated<boolean>
  abierta_at: Date | null
}

interface PagesRow {
  publicacion: number
  construccion: string
  ruta: string
  cabeceras: ColumnType<Record<string, string>, string, string>
  cuerpo: Buffer
}

interface DraftsRow {
  edicion: number
  documento: string
  valor: ColumnType<unknown, string, string>
  version: number
  quien: string | null
  updated_at: Date
}

interface WithdrawalsRow {
  edicion: number
  candidata: string
  quien: string | null
  at: Date
  nombres: ColumnType<string[], string | undefined, string>
  sumas: ColumnType<string[], string | undefined, string>
  limpia: Generated<boolean>
}

interface RedirectsRow {
  desde: string
  hacia: string
  at: Date
}

interface EntryCandidatesRow {
  inscripcion_id: number
  edicion: number
  candidata: string
  at: Date
}

/** Counters: only `cuenta` changes. */
interface VisitsRow {
  /** Such as 2025-09-12. */
  dia: string
  que: 'pantalla' | 'patrocinador' | 'compartido'
  cual: string
  fuente: string
  cuenta: number
}

interface InboxesRow {
  user_id: string
  desde: Date
  at: Date
}

interface FinalRecordEntriesRow {
  edicion: number
  numero: number
  /** JSON text, exactly as sealed. */
  contenido: string
  sello: string
  firma: Buffer
  /** Idempotency key of the request that wrote the entry; null where a request cannot be repeated. */
  clave: string | null
  quien: string | null
  at: Date
}

interface PublicFinalsRow {
  edicion: number
  quien: string
  at: Date
}

interface JudgesRow {
  edicion: number
  numero: number
  nombre: string
  user_id: string | null
  huella: string | null
  vence_at: Date | null
  usado_at: Date | null
  usado_por: string | null
}

interface UnsignedSheetsRow {
  edicion: number
  ronda: number
  juez: number
  /** JSON: tenths of a point by candidate, null where the judge has given none yet. */
  calificaciones: ColumnType<Record<string, (number | null)[]>, string, string>
  at: Date
}

interface BackupsRow {
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

interface ErasureKeyRow {
  unica: Generated<boolean>
  clave: Generated<Buffer>
}

interface ErasuresRow {
  huella: string
  at: Date
  vuelve: Generated<boolean>
}

interface PresencesRow {
  quien: string
  que: 'sitio' | 'mudanza'
  at: Date
}
