import { randomUUID } from 'node:crypto'
import type { Database } from '#app/core/db/database.server.ts'
import { inGroups, makeCode } from '#app/core/text/random-codes.ts'
import { porClase } from '#app/entries/definitions/document-kinds.ts'
import { noSeBorra } from './data.server.ts'
import { ALFABETO_FOLIO } from './folio.ts'
import type { VistaFolio } from './schema.ts'

/** A new folio: 60 random bits, so that nobody can guess one. */
export const newFolio = (): string => inGroups(makeCode(12, ALFABETO_FOLIO), 4)

/**
 * What the person may know of an entry. Whoever asks has to have counted the attempt.
 * @param folio as `readFolio` gives it
 */
export async function findByFolio(db: Database, folio: string): Promise<{ id: number; vista: VistaFolio } | undefined> {
  const entry = await db
    .selectFrom('inscripciones')
    .select(['id', 'tipo', 'titular', 'detalle', 'estado', 'created_at'])
    .where('folio', '=', folio)
    .where(noSeBorra)
    .executeTakeFirst()
  if (!entry) return undefined
  const of = entry.id
  const [documentos, solicitudes, cambio] = await Promise.all([
    db
      .selectFrom('documentos')
      .select(['clase', 'lado', 'nombre_archivo', 'recibido_at', 'reemplazado_at'])
      .where('inscripcion_id', '=', of)
      .orderBy('id', 'desc')
      .execute(),
    db
      .selectFrom('solicitudes')
      .select(['id', 'clase', 'lado', 'nota'])
      .where('inscripcion_id', '=', of)
      .where('cumplida_at', 'is', null)
      .where('retirada_at', 'is', null)
      .orderBy('id')
      .execute(),
    db
      .selectFrom('cambios')
      .select(['nota', 'para_persona'])
      .where('inscripcion_id', '=', of)
      .orderBy('id', 'desc')
      .executeTakeFirst(),
  ])
  return {
    id: entry.id,
    vista: {
      folio,
      tipo: entry.tipo,
      titular: entry.titular,
      detalle: entry.detalle,
      estado: entry.estado,
      recibida: entry.created_at.toISOString(),
      nota: cambio?.para_persona ? cambio.nota : null,
      documentos: documentos.toSorted(porClase).map(({ clase, lado, nombre_archivo, recibido_at, reemplazado_at }) => ({
        clase,
        lado,
        nombre: nombre_archivo,
        recibido: recibido_at.toISOString(),
        reemplazado: reemplazado_at !== null,
      })),
      solicitudes: solicitudes.map((one) => ({ ...one, entrega: randomUUID() })),
    },
  }
}
