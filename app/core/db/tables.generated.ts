// Longer than 350 lines: one row type for each table. «npm run tablas» writes this file; it is not edited by hand.
import type { ColumnType } from "kysely";

export type Generated<T> = T extends ColumnType<infer S, infer I, infer U>
  ? ColumnType<S, I | undefined, U>
  : ColumnType<T, T | undefined, T>;

export interface Accounts {
  access_token: string | null;
  access_token_expires_at: Date | null;
  account_id: string;
  created_at: Generated<Date>;
  id: string;
  id_token: string | null;
  password: string | null;
  provider_id: string;
  refresh_token: string | null;
  refresh_token_expires_at: Date | null;
  scope: string | null;
  updated_at: Generated<Date>;
  user_id: string;
}

export interface Actas {
  at: Date;
  clase: "apertura" | "reglas" | "cierre-movido" | "cierre";
  contenido: string;
  edicion: number;
  firma: Buffer;
  numero: Generated<number>;
  quien: string | null;
  sello: string;
}

export interface Ajustes {
  edicion: number;
  nombre: string;
  quien: string | null;
  updated_at: Generated<Date>;
  valor: ColumnType<unknown, string, string>;
  version: Generated<number>;
}

export interface Antesalas {
  equipo: string | null;
  huella: string;
  intentos: Generated<number>;
  user_id: string;
  vence_at: Date;
}

export interface Anulaciones {
  at: Date;
  conteo: ColumnType<Record<string, number>, string, string>;
  edicion: number;
  firma: Buffer;
  id: Generated<number>;
  marca_id: number | null;
  motivo: string;
  quien: string;
  votos: number;
}

export interface ArchivosDeEdicion {
  alto: number | null;
  ancho: number | null;
  bytes: number;
  created_at: Generated<Date>;
  guardado: Generated<boolean>;
  sha256: string;
  tipo: string;
  vista: string | null;
}

export interface AsientosDeFinal {
  at: Date;
  clave: string | null;
  contenido: string;
  edicion: number;
  firma: Buffer;
  numero: number;
  quien: string | null;
  sello: string;
}

export interface Bajas {
  pedida_at: Date;
  pedida_por: string;
  surte_at: Date;
  user_id: string;
}

export interface BandaDigitalVotes {
  bloque: string | null;
  candidata: string | null;
  correo: Buffer | null;
  created_at: Generated<Date>;
  dominio: string | null;
  edicion: Generated<number>;
  firma: Buffer | null;
  id: Generated<number>;
  intento: string | null;
  lote: number | null;
  recibo: string | null;
  red: string | null;
  sospecha: "red" | "dominio" | "desechable" | "servicio" | null;
  user_id: string;
}

export interface Bitacora {
  acuse: string | null;
  at: Generated<Date>;
  cuenta: string | null;
  datos: ColumnType<Record<string, unknown>, string, string> | null;
  desde: string;
  documento: number | null;
  edicion: number | null;
  id: Generated<number>;
  inscripcion: number | null;
  que: string;
  quien: string | null;
  rastro: string | null;
}

export interface Borradores {
  documento: string;
  edicion: number;
  quien: string | null;
  updated_at: Date;
  valor: ColumnType<unknown, string, string>;
  version: number;
}

export interface Borrados {
  acuse: string;
  at: Generated<Date>;
  bucket: string;
  carpeta: string;
  inscripcion_id: number;
  motivo: "solicitud" | "plazo";
  quien: string | null;
}

export interface BorradosAnunciados {
  anunciado_at: Date;
  corrido_ms: number | null;
  inscripcion_id: number;
}

export interface BuzonDeRebotes {
  falla: "conexion" | "entrada" | "carpeta" | "respuesta" | null;
  huella: string;
  leido_at: Date | null;
  tomado_hasta: Generated<Date>;
  uid: number | null;
  uidvalidity: number | null;
}

export interface Cajas {
  anterior: string;
  cerrada_at: Date;
  desde_lote: number;
  edicion: number;
  firma: Buffer;
  hasta_lote: number;
  numero: number;
  papeletas: number;
  sello: string;
}

export interface Cambios {
  a: "recibida" | "en-revision" | "aceptada" | "rechazada" | "falta-documento";
  at: Generated<Date>;
  de: "recibida" | "en-revision" | "aceptada" | "rechazada" | "falta-documento";
  id: Generated<number>;
  inscripcion_id: number;
  nota: string | null;
  para_persona: Generated<boolean>;
  quien: string | null;
}

export interface CambiosDeCorreo {
  correo: string;
  huella: string;
  intentos: Generated<number>;
  user_id: string;
  vence_at: Date;
}

export interface Candidatas {
  at: Date;
  edicion: number;
  firma: Buffer;
  id: string;
  nombre: string;
}

export interface CandidatasDeInscripciones {
  at: Date;
  candidata: string;
  edicion: number;
  inscripcion_id: number;
}

export interface ClaveDeCopias {
  anotada_at: Date | null;
  propia: boolean;
  unica: Generated<boolean>;
}

export interface ClaveDeSupresiones {
  clave: Generated<Buffer>;
  unica: Generated<boolean>;
}

export interface Codigos {
  direccion: string;
  enviado_at: Date;
  envio: string;
  intentos: Generated<number>;
  navegador: string;
  red: string;
  valor: string;
  vence_at: Date;
}

export interface CodigosPorMinuto {
  enviados: Generated<number>;
  fallos: Generated<number>;
  minuto: Date;
  usados: Generated<number>;
}

export interface Copias {
  aviso: string | null;
  bytes: number | null;
  copia: string;
  destino: string;
  destino_huella: string | null;
  empezada_at: Generated<Date>;
  ensayada_at: Date | null;
  ensayo_falla: string | null;
  falla: string | null;
  hecha_at: Date | null;
  id: Generated<number>;
  objetos: number | null;
}

export interface Correcciones {
  ahora: string | null;
  antes: string | null;
  at: Generated<Date>;
  campo: "celular" | "correo";
  id: Generated<number>;
  inscripcion_id: number;
  quien: string | null;
}

export interface Correos {
  ajeno: Generated<boolean>;
  attempts: Generated<number>;
  body_html: string | null;
  body_text: string | null;
  cifrado: Buffer | null;
  created_at: Generated<Date>;
  en_carpeta: Generated<boolean>;
  expires_at: Date;
  failed_at: Date | null;
  id: Generated<number>;
  idempotency_key: string;
  inscripcion_id: number | null;
  kind: string;
  last_error: string | null;
  message_id: Generated<string>;
  not_before: Generated<Date>;
  pasajero: Generated<boolean>;
  priority: number;
  rebotado_at: Date | null;
  rebote: string | null;
  recipient: string;
  sent_at: Date | null;
  subject: string | null;
}

export interface Diagnosticos {
  de: string;
  desde: Date;
  dice: string;
  nivel: "ok" | "aviso" | "falla";
  remedio: string | null;
  titulo: string;
  visto_at: Date;
}

export interface Documentos {
  clase: "actaNacimiento" | "credencialElector" | "constanciaEstudios" | "fotoRostro" | "fotoCuerpo" | "bocetoFrontal" | "bocetoPosterior" | "identificacion";
  content_type: string;
  id: Generated<number>;
  inscripcion_id: number;
  lado: "anverso" | "reverso" | null;
  nombre_archivo: string;
  path: string;
  recibido_at: Generated<Date>;
  reemplazado_at: Date | null;
  sha256: string;
  size_bytes: number;
}

export interface Ediciones {
  abierta_at: Date | null;
  abre_votacion: Date | null;
  actual: Generated<boolean>;
  anio: number;
  publicacion: number | null;
}

export interface Enlaces {
  created_at: Generated<Date>;
  huella: string;
  recupera: Generated<boolean>;
  user_id: string;
  vence_at: Date;
}

export interface Entregas {
  /**
   * The attempt that wrote the plan; of plans from before 20260314, the folder of the process that did.
   */
  area: string | null;
  created_at: Generated<Date>;
  estado: "guardando" | "guardada";
  huella: string;
  inscripcion_id: number | null;
  key: string;
  plan: ColumnType<unknown, string, string> | null;
  tipo: Generated<"candidata" | "traje">;
}

export interface Escritorios {
  at: Date;
  desde: Date;
  user_id: string;
}

export interface FinalesPublicas {
  at: Date;
  edicion: number;
  quien: string;
}

export interface Guardia {
  at: Date;
  quien: string;
  unica: Generated<boolean>;
}

export interface HojasSinFirmar {
  at: Date;
  calificaciones: ColumnType<Record<string, (number | null)[]>, string, string>;
  edicion: number;
  juez: number;
  ronda: number;
}

export interface Inscripciones {
  busqueda: Generated<string>;
  celular: string;
  correo: string | null;
  created_at: Date;
  detalle: string | null;
  edad: number | null;
  edicion: number;
  estado: Generated<"recibida" | "en-revision" | "aceptada" | "rechazada" | "falta-documento">;
  folio: string;
  id: Generated<number>;
  tipo: "candidata" | "traje";
  titular: string;
  version: Generated<number>;
}

export interface Intentos {
  cuenta: number;
  libre_at: Date;
  rastro: string;
  ultimo_at: Date;
}

export interface Jueces {
  edicion: number;
  huella: string | null;
  nombre: string;
  numero: number;
  usado_at: Date | null;
  usado_por: string | null;
  user_id: string | null;
  vence_at: Date | null;
}

export interface LlavesDeAcceso {
  created_at: Generated<Date>;
  id: string;
  nombre: string;
  publica: Buffer;
  transportes: Generated<string>;
  usada_at: Date | null;
  user_id: string;
  usos: number;
}

export interface LlegadasPorRed {
  cuenta: number;
  de: string;
  desde: Generated<Date>;
  que: "comienzo" | "envio" | "bytes";
  red: string;
}

export interface Lotes {
  anterior: string;
  avisado: Generated<boolean>;
  edicion: number;
  firma: Buffer;
  numero: number;
  papeletas: number;
  sellado_at: Date;
  sello: string;
}

export interface Marcas {
  al_marcar: number;
  at: Date;
  clase: "dominio" | "receptor" | "alojamiento" | "desechable" | "servicio" | "rafaga-red" | "rafaga-bloque" | "antes-red" | "antes-dominio";
  edicion: number;
  firma: Buffer;
  id: Generated<number>;
  nuevos: Generated<number>;
  origen: string;
  tramo: Date | null;
  umbral: number;
  votos: Generated<number>;
}

export interface Mensajes {
  at: Date;
  correo_id: number;
  id: Generated<number>;
  inscripcion_id: number;
  ocasion: "aceptada" | "rechazada" | "falta-documento";
  paso: number;
  quien: string | null;
  version: number;
  vez: number;
}

export interface MensajesEscritos {
  asunto: string;
  at: Date;
  cita_at: Date | null;
  cita_codigo: string | null;
  cita_lugar: string | null;
  correo_id: number | null;
  envio: string;
  id: Generated<number>;
  inscripcion_id: number;
  quien: string | null;
  recordada_at: Date | null;
  texto: string;
}

export interface Migraciones {
  aplicada: Generated<Date>;
  contrae: boolean | null;
  nombre: string;
  tras: string | null;
}

export interface Mudado {
  adonde: string;
  at: Generated<Date>;
  unica: Generated<boolean>;
}

export interface Novedades {
  correos_hasta: Generated<Date>;
  cuando: Generated<"diario" | "al-momento" | "nunca">;
  dicho_at: Date | null;
  hasta: Date;
  user_id: string;
}

export interface OlvidosAnunciados {
  anunciado_at: Date;
  corrido_ms: number | null;
  edicion: number;
}

export interface Origenes {
  clase: string;
  desde_lote: number;
  edicion: number;
  origen: string;
  votos: number;
}

export interface Paginas {
  cabeceras: ColumnType<Record<string, string>, string, string>;
  construccion: string;
  cuerpo: Buffer;
  publicacion: number;
  ruta: string;
}

export interface Peticiones {
  correo: string | null;
  created_at: Generated<Date>;
  id: Generated<number>;
  inscripcion_id: number | null;
  medio: string | null;
  nombre: string | null;
  que: "folio" | "borrado" | "acreditacion";
}

export interface Plantillas {
  asunto: string;
  at: Date;
  ocasion: "aceptada" | "rechazada" | "falta-documento";
  quien: string | null;
  texto: string;
  titulo: string;
  version: number;
}

export interface PlazosDetenidos {
  detenido_at: Generated<Date>;
  edicion: number;
  quien: string | null;
}

export interface Presencias {
  at: Date;
  que: "sitio" | "mudanza";
  quien: string;
}

export interface Profiles {
  baja_at: Date | null;
  created_at: Generated<Date>;
  email: string;
  email_verified: Generated<boolean>;
  id: string;
  image: string | null;
  medio: string | null;
  name: string;
  role: "admin" | "revision" | "conteo" | "sitio" | "notaria" | "jurado" | "prensa" | null;
  updated_at: Generated<Date>;
  vigente_hasta: Date | null;
}

export interface Publicaciones {
  acta: ColumnType<Record<string, unknown>, string, string> | null;
  archivos: ColumnType<Record<string, string>, string, string>;
  borrador: number | null;
  created_at: Date;
  de: number | null;
  edicion: number;
  estado: Generated<"preparando" | "publicada" | "fallida">;
  fallas: ColumnType<{ archivo: string; campo: string; remedio: string }[], string, string> | null;
  huella: string;
  id: Generated<number>;
  nota: Generated<string>;
  origen: "carpeta" | "importada" | "panel" | "regreso";
  publicada_at: Date | null;
  quien: string | null;
  valores: ColumnType<Record<string, unknown>, string, string>;
}

export interface Receptores {
  alojamiento: boolean;
  at: Date;
  dominio: string;
  edicion: number;
  firma: Buffer;
  receptor: string;
}

export interface Recuentos {
  actas: Generated<number>;
  alterado: Generated<boolean>;
  anulados: Generated<number>;
  at: Date;
  cajas: Generated<number>;
  edicion: number;
  fallas: ColumnType<string[], string, string>;
  firma: Buffer | null;
  lotes: number;
  papeletas: number;
  ultima_caja: string | null;
  ultimo: string;
}

export interface Redirecciones {
  at: Date;
  desde: string;
  hacia: string;
}

export interface Registros {
  carpeta: string;
  created_at: Date;
  id: Generated<number>;
  inscripcion_id: number;
  metadata_path: string;
}

export interface RelojVisto {
  corrido_ms: Generated<number>;
  unico: Generated<boolean>;
  visto_at: Date;
}

export interface Respaldos {
  huella: string;
  user_id: string;
}

export interface Retiradas {
  at: Date;
  candidata: string;
  edicion: number;
  limpia: Generated<boolean>;
  nombres: Generated<ColumnType<string[], string, string>>;
  quien: string | null;
  sumas: Generated<ColumnType<string[], string, string>>;
}

export interface Segundos {
  activo_at: Date | null;
  mostrado_at: Generated<Date>;
  secreto: Buffer;
  ultimo: Generated<number>;
  user_id: string;
}

export interface Sessions {
  confirmada_at: Generated<Date>;
  created_at: Generated<Date>;
  equipo: string | null;
  expires_at: Date;
  id: string;
  ip_address: string | null;
  sin_consejo: Generated<boolean>;
  token: string;
  updated_at: Generated<Date>;
  usada_at: Date | null;
  user_agent: string | null;
  user_id: string;
  vence_at: Date;
}

export interface Solicitudes {
  clase: Documentos['clase'];
  cumplida_at: Date | null;
  id: Generated<number>;
  inscripcion_id: number;
  lado: Documentos['lado'];
  nota: string;
  pedida_at: Generated<Date>;
  quien: string | null;
  retirada_at: Date | null;
}

export interface Subidas {
  bytes: number | null;
  creada_at: Generated<Date>;
  datos: ColumnType<unknown, string, string>;
  de: "registros" | "edicion";
  del_sitio_at: Date;
  id: string;
  key: string;
  nombre_archivo: string;
  oida_at: Date | null;
  orden: number;
  recibidos: Generated<number>;
  redes: Generated<string[]>;
  sellada: ColumnType<unknown, string, string> | null;
}

export interface Supresiones {
  at: Date;
  huella: string;
  vuelve: Generated<boolean>;
}

export interface Trabajos {
  hasta: Date;
  huella: string;
}

export interface TrajesTipicos {
  carpeta: string;
  created_at: Date;
  id: Generated<number>;
  inscripcion_id: number;
  metadata_path: string;
}

export interface Trozos {
  bytes: number;
  desde: number;
  objeto: string;
  subida_id: string;
}

export interface Turnos {
  hasta: Date;
  que: string;
  quien: string;
}

export interface Verifications {
  created_at: Generated<Date>;
  expires_at: Date;
  id: string;
  identifier: string;
  updated_at: Generated<Date>;
  value: string;
}

export interface Visitas {
  cual: string;
  cuenta: number;
  dia: string;
  fuente: string;
  que: "pantalla" | "patrocinador" | "compartido";
}

export interface VotosAnulados {
  anulacion_id: number;
  voto_id: number;
}

export interface VotosMarcados {
  marca_id: number;
  voto_id: number;
}

export interface VotosPorHora {
  candidata: string;
  edicion: number;
  hora: Date;
  votos: number;
}

export interface VotosPorOrigen {
  clase: "red" | "dominio" | "bloque";
  edicion: number;
  origen: string;
  sospechosos: Generated<number>;
  tramo: Date;
  votos: number;
}

export interface DB {
  accounts: Accounts;
  actas: Actas;
  ajustes: Ajustes;
  antesalas: Antesalas;
  anulaciones: Anulaciones;
  archivos_de_edicion: ArchivosDeEdicion;
  asientos_de_final: AsientosDeFinal;
  bajas: Bajas;
  banda_digital_votes: BandaDigitalVotes;
  bitacora: Bitacora;
  borradores: Borradores;
  borrados: Borrados;
  borrados_anunciados: BorradosAnunciados;
  buzon_de_rebotes: BuzonDeRebotes;
  cajas: Cajas;
  cambios: Cambios;
  cambios_de_correo: CambiosDeCorreo;
  candidatas: Candidatas;
  candidatas_de_inscripciones: CandidatasDeInscripciones;
  clave_de_copias: ClaveDeCopias;
  clave_de_supresiones: ClaveDeSupresiones;
  codigos: Codigos;
  codigos_por_minuto: CodigosPorMinuto;
  copias: Copias;
  correcciones: Correcciones;
  correos: Correos;
  diagnosticos: Diagnosticos;
  documentos: Documentos;
  ediciones: Ediciones;
  enlaces: Enlaces;
  entregas: Entregas;
  escritorios: Escritorios;
  finales_publicas: FinalesPublicas;
  guardia: Guardia;
  hojas_sin_firmar: HojasSinFirmar;
  inscripciones: Inscripciones;
  intentos: Intentos;
  jueces: Jueces;
  llaves_de_acceso: LlavesDeAcceso;
  llegadas_por_red: LlegadasPorRed;
  lotes: Lotes;
  marcas: Marcas;
  mensajes: Mensajes;
  mensajes_escritos: MensajesEscritos;
  migraciones: Migraciones;
  mudado: Mudado;
  novedades: Novedades;
  olvidos_anunciados: OlvidosAnunciados;
  origenes: Origenes;
  paginas: Paginas;
  peticiones: Peticiones;
  plantillas: Plantillas;
  plazos_detenidos: PlazosDetenidos;
  presencias: Presencias;
  profiles: Profiles;
  publicaciones: Publicaciones;
  receptores: Receptores;
  recuentos: Recuentos;
  redirecciones: Redirecciones;
  registros: Registros;
  reloj_visto: RelojVisto;
  respaldos: Respaldos;
  retiradas: Retiradas;
  segundos: Segundos;
  sessions: Sessions;
  solicitudes: Solicitudes;
  subidas: Subidas;
  supresiones: Supresiones;
  trabajos: Trabajos;
  trajes_tipicos: TrajesTipicos;
  trozos: Trozos;
  turnos: Turnos;
  verifications: Verifications;
  visitas: Visitas;
  votos_anulados: VotosAnulados;
  votos_marcados: VotosMarcados;
  votos_por_hora: VotosPorHora;
  votos_por_origen: VotosPorOrigen;
}
