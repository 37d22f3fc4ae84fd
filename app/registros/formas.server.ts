import type { Transaction } from 'kysely'
import { encolarCorreo } from '#app/correo/mutations.server.ts'
import type { Database } from '#app/platform/database.server.ts'
import type { Tables } from '#app/platform/tables.ts'
import { cartaDeInscripcion } from './correos.server.ts'
import { CANDIDATA, type Forma, TRAJE } from './formas.ts'
import { CAMPOS_TRAJE, type TipoInscripcion } from './schema.ts'

/** What the organisers list of an entry, whichever form it came by. */
interface Resumen {
  titular: string
  detalle: string | null
  edad: number | null
  correo: string | null
  celular: string
}

/** What every row of a form has beside its data. */
interface Fila {
  id: number
  inscripcion_id: number
  carpeta: string
  metadata_path: string
  created_at: Date
}

/** How the data of a form are kept; they are what its `validate` gave. */
export interface Almacen<Datos = unknown> {
  forma: Forma<Datos>
  tabla: 'registros' | 'trajes_tipicos'
  resumen(datos: Datos): Resumen
  insert(transaction: Transaction<Tables>, fila: Fila, datos: Datos): Promise<unknown>
  /** The row again, its values under the keys of §3. */
  read(db: Database, inscripcion: number): Promise<{ carpeta: string; metadata_path: string; values: object }>
  /** What the person gets by mail; the form of the candidates asks for no address. */
  notify?(
    transaction: Transaction<Tables>,
    folio: string,
    datos: Datos,
    sitio: string,
    inscripcion: number,
  ): Promise<unknown>
}

const candidata: Almacen<typeof CANDIDATA extends Forma<infer Datos> ? Datos : never> = {
  forma: CANDIDATA,
  tabla: 'registros',
  resumen: ({ nombre, edad, celular }) => ({ titular: nombre, detalle: null, edad, correo: null, celular }),
  insert: (transaction, fila, { gradoEstudio, ...datos }) =>
    transaction
      .insertInto('registros')
      .values({ ...fila, ...datos, grado_estudio: gradoEstudio })
      .execute(),
  async read(db, inscripcion) {
    const { carpeta, metadata_path, ...values } = await db
      .selectFrom('registros')
      .select(['carpeta', 'metadata_path'])
      .select(['id', 'nombre', 'edad', 'estatura', 'grado_estudio as gradoEstudio', 'celular'])
      .where('inscripcion_id', '=', inscripcion)
      .executeTakeFirstOrThrow()
    return { carpeta, metadata_path, values }
  },
}

const traje: Almacen<typeof TRAJE extends Forma<infer Datos> ? Datos : never> = {
  forma: TRAJE,
  tabla: 'trajes_tipicos',
  resumen: ({ nombre_disenador, nombre_traje, email, celular }) => ({
    titular: nombre_disenador,
    detalle: nombre_traje,
    edad: null,
    correo: email,
    celular,
  }),
  insert: (transaction, fila, datos) =>
    transaction
      .insertInto('trajes_tipicos')
      .values({ ...fila, ...datos })
      .execute(),
  async read(db, inscripcion) {
    const { carpeta, metadata_path, ...values } = await db
      .selectFrom('trajes_tipicos')
      .select(['carpeta', 'metadata_path', 'id', ...CAMPOS_TRAJE])
      .where('inscripcion_id', '=', inscripcion)
      .executeTakeFirstOrThrow()
    return { carpeta, metadata_path, values }
  },
  notify: (transaction, folio, { email }, sitio, inscripcion) =>
    encolarCorreo(transaction, {
      ...cartaDeInscripcion(folio),
      ...{ to: email, sitio, inscripcion },
      idempotencyKey: `inscripcion:${folio}`,
    }),
}

/** Data come back from the journal as they were put there by the same form: what fits one fits its store. */
export const ALMACENES = { candidata, traje } as unknown as Readonly<Record<TipoInscripcion, Almacen>>
