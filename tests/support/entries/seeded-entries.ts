import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { Services } from '#app/core/http/services.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import type { DocumentKind, EntryType } from '#app/entries/definitions/document-kinds.ts'
import { valueFor } from './field-values.ts'

export interface SeededFile {
  clase: DocumentKind
  lado?: 'anverso' | 'reverso'
  nombre: string
  tipo: string
  body: Buffer
}

const makePhoto = () => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), randomBytes(2_000)])
const fileOf = (kind: DocumentKind, side?: 'anverso' | 'reverso'): SeededFile => ({
  clase: kind,
  ...(side ? { lado: side } : {}),
  nombre: `${kind}.jpg`,
  tipo: 'image/jpeg',
  body: makePhoto(),
})

export const candidateFiles = (): SeededFile[] => [
  fileOf('actaNacimiento'),
  fileOf('credencialElector', 'anverso'),
  fileOf('credencialElector', 'reverso'),
  fileOf('constanciaEstudios'),
  fileOf('fotoRostro'),
  fileOf('fotoCuerpo'),
]
export const costumeFiles = (): SeededFile[] => [
  fileOf('bocetoFrontal'),
  fileOf('bocetoPosterior'),
  fileOf('identificacion'),
]

interface EntrySeed {
  tipo?: EntryType
  titular?: string
  detalle?: string
  edad?: number
  celular?: string
  correo?: string
  createdAt?: Date
  edicion?: number
  files?: SeededFile[]
  /** Whether the candidate allows the site to show the photograph of her face. */
  mayPublishFace?: boolean
  /** Whether the committee may write by WhatsApp. */
  mayUseWhatsApp?: boolean
}

/** Returns the values of a form. A field that this file does not know gets a value that its checks accept. */
const valuesFor = (type: EntryType, knownValues: Record<string, unknown>) =>
  Object.fromEntries(FORMS[type].fields.map((field) => [field.name, knownValues[field.name] ?? valueFor(field)]))

const FORM_VALUES = {
  candidata: valuesFor('candidata', { estatura: 1.66, gradoEstudio: 'Estudiante' }),
  traje: valuesFor('traje', {
    ciudad: 'Tepatitlán',
    tematica: 'La flor del naranjo',
    descripcion: 'Falda de vuelo amplio con azahares bordados a mano.',
    materiales: 'Manta, chaquira y listón',
    altura: 120,
    ha_participado: 'No',
  }),
}

/** Stores a whole entry of either form with its documents, and with empty metadata. @returns the entry's id */
export async function seedEntry(
  { db, storage, clock }: Pick<Services, 'db' | 'storage' | 'clock'>,
  seed: EntrySeed = {},
): Promise<number> {
  const { tipo = 'candidata', titular = 'Ana María Colorín', celular = '33 0000 0000', edicion = 2025 } = seed
  const createdAt = seed.createdAt ?? clock.now()
  const isCostume = tipo === 'traje'
  const bucket = isCostume ? 'registrotrajes' : 'registro'
  const folder = `${randomBytes(6).toString('hex')}_entrada`
  const files = seed.files ?? (isCostume ? costumeFiles() : candidateFiles())
  const metadataPath = `${folder}/metadata_${createdAt.getTime()}.json`
  const storedFiles = files.map((seededFile, index) => {
    const { clase, lado, nombre, body } = seededFile
    const kindFolder = lado ? `${clase}_${lado}` : clase
    const sha256 = createHash('sha256').update(body).digest('hex')
    return { ...seededFile, sha256, path: `${folder}/${kindFolder}/${createdAt.getTime()}_${index}_${nombre}` }
  })
  for (const { path, body, tipo: contentType } of storedFiles)
    await storage.putBytes(bucket, path, body, { contentType, cacheControlSeconds: 3600 })
  await storage.putBytes(bucket, metadataPath, Buffer.from('{}'), {
    contentType: 'application/json',
    cacheControlSeconds: 3600,
  })
  return db.transaction().execute(async (tx) => {
    const folioDigits = randomBytes(6).toString('hex').toUpperCase()
    const detail = isCostume ? (seed.detalle ?? 'La Catrina de Azahares') : null
    const email = seed.correo ?? (isCostume ? 'disenos@correo.example' : null)
    const { id } = await tx
      .insertInto('inscripciones')
      .values({
        tipo,
        edicion,
        folio: `${folioDigits.slice(0, 4)}-${folioDigits.slice(4, 8)}-${folioDigits.slice(8)}`,
        titular,
        detalle: detail,
        edad: isCostume ? null : (seed.edad ?? 21),
        correo: email,
        celular,
        created_at: createdAt,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const commonColumns = { inscripcion_id: id, carpeta: folder, metadata_path: metadataPath, created_at: createdAt }
    const values = isCostume
      ? {
          ...FORM_VALUES.traje,
          nombre_disenador: titular,
          email,
          nombre_traje: detail,
          celular,
          ...(seed.mayUseWhatsApp && { avisosWhatsApp: 'Sí' }),
        }
      : {
          ...FORM_VALUES.candidata,
          nombre: titular,
          edad: seed.edad ?? 21,
          celular,
          correo: email,
          ...(seed.mayUseWhatsApp && { avisosWhatsApp: 'Sí' }),
          ...(seed.mayPublishFace && { publicarRostro: 'Sí' }),
        }
    await tx
      .insertInto(FORMS[tipo].table)
      .values({ ...commonColumns, ...values } as never)
      .execute()
    await tx
      .insertInto('documentos')
      .values(
        storedFiles.map(({ clase, lado, nombre, tipo: contentType, body, path, sha256 }) => ({
          inscripcion_id: id,
          clase,
          lado: lado ?? null,
          path,
          nombre_archivo: nombre,
          content_type: contentType,
          size_bytes: body.length,
          sha256,
          recibido_at: createdAt,
        })),
      )
      .execute()
    return id
  })
}

/** Inserts entries without documents, spread over months, for tests of long lists. */
export async function seedBareEntries(client: Pick<pg.Pool, 'query'>, count: number): Promise<void> {
  await client.query('alter table inscripciones disable trigger inscripcion_completa')
  await client.query(
    `insert into inscripciones (tipo, edicion, folio, titular, detalle, edad, correo, celular, estado, created_at)
     select case when n % 4 = 0 then 'traje' else 'candidata' end, 2025,
       regexp_replace(upper(substr(md5(n::text), 1, 12)), '(.{4})(.{4})(.{4})', '\\1-\\2-\\3'),
       (array['Ana','María','Lucía','Daniela','Mariana','Itzel','Regina','Sofía','Abril','Ximena'])[1 + n % 10] || ' ' ||
         (array['Colorín','Nardo','Ceiba','Tila','Copal','Mezquite','Agave'])[1 + (n / 10) % 7] || ' ' ||
         initcap(substr(md5('a' || n), 1, 6)),
       case when n % 4 = 0 then 'Traje ' || substr(md5('t' || n), 1, 8) end,
       case when n % 4 = 0 then null else 16 + n % 13 end,
       case when n % 4 = 0 then 'persona' || n || '@correo.example' end,
       '33' || lpad((n::bigint * 7919 % 100000000)::text, 8, '0'),
       (array['recibida','en-revision','aceptada','aceptada','aceptada','rechazada','falta-documento'])[1 + n % 7],
       timestamptz '2025-06-01' + n * interval '20 seconds'
     from generate_series(1, $1::int) n`,
    [count],
  )
  await client.query('alter table inscripciones enable trigger inscripcion_completa')
  await client.query('vacuum analyze inscripciones')
}
