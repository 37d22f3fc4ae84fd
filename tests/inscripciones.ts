import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { Services } from '#app/core/http/services.server.ts'
import { FORMAS } from '#app/entries/definitions/both-forms.ts'
import type { ClaseDocumento as Clase, TipoInscripcion } from '#app/entries/definitions/document-kinds.ts'
import { valorPara } from './valores.ts'

export interface ArchivoSembrado {
  clase: Clase
  lado?: 'anverso' | 'reverso'
  nombre: string
  tipo: string
  body: Buffer
}

const photo = () => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), randomBytes(2_000)])
const archivo = (clase: Clase, lado?: 'anverso' | 'reverso'): ArchivoSembrado => ({
  clase,
  ...(lado ? { lado } : {}),
  nombre: `${clase}.jpg`,
  tipo: 'image/jpeg',
  body: photo(),
})

export const archivosDeCandidata = (): ArchivoSembrado[] => [
  archivo('actaNacimiento'),
  archivo('credencialElector', 'anverso'),
  archivo('credencialElector', 'reverso'),
  archivo('constanciaEstudios'),
  archivo('fotoRostro'),
  archivo('fotoCuerpo'),
]
export const archivosDeTraje = (): ArchivoSembrado[] => [
  archivo('bocetoFrontal'),
  archivo('bocetoPosterior'),
  archivo('identificacion'),
]

interface Siembra {
  tipo?: TipoInscripcion
  titular?: string
  detalle?: string
  edad?: number
  celular?: string
  correo?: string
  createdAt?: Date
  edicion?: number
  archivos?: ArchivoSembrado[]
  /** A candidate allows her photograph of the face. */
  permite?: boolean
  /** The committee may write by WhatsApp. */
  whatsapp?: boolean
}

/** The values of a form. A field that this file does not know gets a value that its own checks accept. */
const valoresDe = (tipo: TipoInscripcion, conocidos: Record<string, unknown>) =>
  Object.fromEntries(FORMAS[tipo].campos.map((campo) => [campo.nombre, conocidos[campo.nombre] ?? valorPara(campo)]))

const VALORES = {
  candidata: valoresDe('candidata', { estatura: 1.66, gradoEstudio: 'Estudiante' }),
  traje: valoresDe('traje', {
    ciudad: 'Tepatitlán',
    tematica: 'La flor del naranjo',
    descripcion: 'Falda de vuelo amplio con azahares bordados a mano.',
    materiales: 'Manta, chaquira y listón',
    altura: 120,
    ha_participado: 'No',
  }),
}

/** A whole entry with its documents, as either form leaves it. @returns its id */
export async function sembrarInscripcion(
  { db, storage, clock }: Pick<Services, 'db' | 'storage' | 'clock'>,
  siembra: Siembra = {},
): Promise<number> {
  const { tipo = 'candidata', titular = 'Ana María Colorín', celular = '33 0000 0000', edicion = 2025 } = siembra
  const createdAt = siembra.createdAt ?? clock.now()
  const esTraje = tipo === 'traje'
  const bucket = esTraje ? 'registrotrajes' : 'registro'
  const carpeta = `${randomBytes(6).toString('hex')}_entrada`
  const archivos = siembra.archivos ?? (esTraje ? archivosDeTraje() : archivosDeCandidata())
  const metadataPath = `${carpeta}/metadata_${createdAt.getTime()}.json`
  const puestos = archivos.map((uno, at) => {
    const clase = uno.lado ? `${uno.clase}_${uno.lado}` : uno.clase
    const sha256 = createHash('sha256').update(uno.body).digest('hex')
    return { ...uno, sha256, path: `${carpeta}/${clase}/${createdAt.getTime()}_${at}_${uno.nombre}` }
  })
  for (const { path, body, tipo: contentType } of puestos)
    await storage.putBytes(bucket, path, body, { contentType, cacheControlSeconds: 3600 })
  await storage.putBytes(bucket, metadataPath, Buffer.from('{}'), {
    contentType: 'application/json',
    cacheControlSeconds: 3600,
  })
  return db.transaction().execute(async (tx) => {
    const hex = randomBytes(6).toString('hex').toUpperCase()
    const detalle = esTraje ? (siembra.detalle ?? 'La Catrina de Azahares') : null
    const correo = siembra.correo ?? (esTraje ? 'disenos@correo.example' : null)
    const { id } = await tx
      .insertInto('inscripciones')
      .values({
        tipo,
        edicion,
        folio: `${hex.slice(0, 4)}-${hex.slice(4, 8)}-${hex.slice(8)}`,
        titular,
        detalle,
        edad: esTraje ? null : (siembra.edad ?? 21),
        correo,
        celular,
        created_at: createdAt,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const comun = { inscripcion_id: id, carpeta, metadata_path: metadataPath, created_at: createdAt }
    const valores = esTraje
      ? {
          ...VALORES.traje,
          nombre_disenador: titular,
          email: correo,
          nombre_traje: detalle,
          celular,
          ...(siembra.whatsapp && { avisosWhatsApp: 'Sí' }),
        }
      : {
          ...VALORES.candidata,
          nombre: titular,
          edad: siembra.edad ?? 21,
          celular,
          correo,
          ...(siembra.whatsapp && { avisosWhatsApp: 'Sí' }),
          ...(siembra.permite && { publicarRostro: 'Sí' }),
        }
    await tx
      .insertInto(FORMAS[tipo].tabla)
      .values({ ...comun, ...valores } as never)
      .execute()
    await tx
      .insertInto('documentos')
      .values(
        puestos.map(({ clase, lado, nombre, tipo: contentType, body, path, sha256 }) => ({
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

/** So many entries without documents, spread over months: for lists and their speed. */
export async function sembrarRenglones(client: Pick<pg.Pool, 'query'>, cuantos: number): Promise<void> {
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
    [cuantos],
  )
  await client.query('alter table inscripciones enable trigger inscripcion_completa')
  await client.query('vacuum analyze inscripciones')
}
