import type { ColumnType, Generated } from 'kysely'

/** Rows as the migrations in db/migrations leave them. */
export interface Tables {
  profiles: ProfilesRow
  accounts: AccountsRow
  sessions: SessionsRow
  enlaces: EnlacesRow
  intentos: IntentosRow
  bitacora: BitacoraRow
  registros: RegistrosRow
  documentos: DocumentosRow
  entregas: EntregasRow
  correos: CorreosRow
}

interface ProfilesRow {
  id: string
  name: string
  email: string
  email_verified: Generated<boolean>
  image: string | null
  role: 'admin' | 'prensa' | null
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
}

interface EnlacesRow {
  user_id: string
  clave: string
  vence_at: Date
  created_at: Generated<Date>
}

interface IntentosRow {
  clave: string
  cuenta: number
  libre_at: Date
  ultimo_at: Date
}

/** Rows are added, never changed. */
interface BitacoraRow {
  id: ColumnType<number, never, never>
  at: ColumnType<Date, never, never>
  que: ColumnType<string, string, never>
  quien: ColumnType<string | null, string | null, never>
  sobre: ColumnType<string | null, string | null, never>
  desde: ColumnType<string, string, never>
}

interface RegistrosRow {
  id: Generated<number>
  nombre: string
  edad: number
  /** Metres. */
  estatura: number
  grado_estudio: 'Estudiante' | 'Egresada' | 'Profesionista'
  celular: string
  carpeta: string
  metadata_path: string
  created_at: Date
}

interface DocumentosRow {
  registro_id: number
  clase: 'actaNacimiento' | 'credencialElector' | 'constanciaEstudios' | 'fotoRostro' | 'fotoCuerpo'
  lado: 'anverso' | 'reverso' | null
  path: string
  nombre_archivo: string
  content_type: string
  size_bytes: number
  sha256: string
}

interface EntregasRow {
  clave: string
  estado: 'guardando' | 'guardada'
  huella: string
  /** JSON text on the way in, parsed on the way out; its shape belongs to app/registros. */
  plan: ColumnType<unknown, string, string | null>
  registro_id: number | null
  created_at: Generated<Date>
}

interface CorreosRow {
  id: Generated<number>
  idempotency_key: string
  message_id: Generated<string>
  kind: string
  /** 0 goes before 1. */
  priority: 0 | 1
  recipient: string
  /** Null once they are wiped, like both bodies. */
  subject: string | null
  body_text: string | null
  body_html: string | null
  created_at: Generated<Date>
  not_before: Generated<Date>
  expires_at: Date
  attempts: Generated<number>
  sent_at: Date | null
  failed_at: Date | null
  last_error: string | null
}
