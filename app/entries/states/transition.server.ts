import { sql } from 'kysely'
import { type Autor, anotar } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Forma } from '#app/entries/definitions/form.ts'
import type { EstadoInscripcion } from '#app/entries/schema.ts'

/** To the microsecond, which a Date does not hold: by it, what a change ceased to ask for is known as its own. */
export const atOf = (cambio: number) => sql<Date>`(select at from cambios where id = ${cambio})`

/** From one state to the next. */
export interface Paso {
  de: EstadoInscripcion
  a: EstadoInscripcion
  nota: string | null
  paraPersona?: boolean
}

/**
 * Takes an entry one step on: the one place that writes its state, version and history, and their line of the log.
 * `at` is by the site's clock; without it, the step is dated by the database's.
 * @param paso undefined: a document that was asked for again came in, and the state stays
 */
export async function darPaso(
  tx: Database,
  { id, at }: { id: number; at?: Date },
  paso: Paso | undefined,
  autor: Autor,
): Promise<void> {
  await tx
    .updateTable('inscripciones')
    .set({ version: sql`version + 1`, ...(paso && { estado: paso.a }) })
    .where('id', '=', id)
    .execute()
  if (!paso) return anotar(tx, autor, { que: 'inscripcion.documento', inscripcion: id })
  const { de, a, nota, paraPersona = false } = paso
  const made = await tx
    .insertInto('cambios')
    .values({ inscripcion_id: id, de, a, nota, para_persona: paraPersona, quien: autor.quien, ...(at && { at }) })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (a !== 'falta-documento')
    await tx
      .updateTable('solicitudes')
      .set({ retirada_at: atOf(made.id) })
      .where('inscripcion_id', '=', id)
      .where('cumplida_at', 'is', null)
      .where('retirada_at', 'is', null)
      .execute()
  await anotar(tx, autor, { que: `inscripcion.${a}`, inscripcion: id })
}

/** How to reach the person, corrected. */
export interface Correccion {
  campo: 'celular' | 'correo'
  /** Its name in the form's own table. */
  nombre: string
  antes: string | null
  ahora: string | null
}

/**
 * Corrects how to reach the person, where the list has it and where the form left it. The entry keeps both values for as
 * long as it is there; the log, which stays, says which fields.
 */
export async function darCorrecciones(
  tx: Database,
  { id, at }: { id: number; at?: Date },
  forma: Forma,
  correcciones: readonly Correccion[],
  autor: Autor,
): Promise<void> {
  const now = (of: (one: Correccion) => string) =>
    Object.fromEntries(correcciones.map((one) => [of(one), one.ahora])) as Record<string, never>
  await tx
    .updateTable('inscripciones')
    .set({ version: sql`version + 1`, ...now(({ campo }) => campo) })
    .where('id', '=', id)
    .execute()
  await tx
    .updateTable(forma.tabla as 'registros')
    .set(now(({ nombre }) => nombre))
    .where('inscripcion_id', '=', id)
    .execute()
  await tx
    .insertInto('correcciones')
    .values(
      correcciones.map(({ campo, antes, ahora }) => ({
        ...{ inscripcion_id: id, campo, antes, ahora, quien: autor.quien },
        ...(at && { at }),
      })),
    )
    .execute()
  await anotar(tx, autor, {
    que: 'inscripcion.contacto',
    inscripcion: id,
    campos: correcciones.map(({ campo }) => campo),
  })
}
