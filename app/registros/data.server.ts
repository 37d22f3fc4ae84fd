import { randomUUID } from 'node:crypto'
import { type SqlBool, sql } from 'kysely'
import { readAjustes } from '#app/ajustes/data.server.ts'
import { estadoDe } from '#app/ajustes/rules.ts'
import type { Database } from '#app/platform/database.server.ts'
import { enMexico } from '#app/platform/fechas.ts'
import type { Services } from '#app/platform/services.server.ts'
import type { Forma } from './formas.ts'
import { Rechazo } from './rechazo.server.ts'
import { CLASES_DOCUMENTO, MENSAJES, type VistaFolio } from './schema.ts'

/**
 * Whether a form takes entries now, by the site's clock and the edition's settings.
 * @returns undefined while it does; else why not, with the date in its message
 */
export async function refuseCerrado({ db, clock }: Services, forma: Forma): Promise<Rechazo | undefined> {
  const { [forma.periodo]: periodo } = await readAjustes(db)
  const estado = estadoDe(periodo, clock.now())
  if (estado === 'abierto') return undefined
  const message =
    estado === 'antes'
      ? MENSAJES.porAbrir(forma.deQuien, enMexico(new Date(periodo.abre)))
      : MENSAJES.cerrado(forma.deQuien, enMexico(new Date(periodo.cierra)))
  return new Rechazo('cerrado', message)
}

/**
 * What the person may know of an entry. Whoever asks has to have counted the attempt.
 * @param folio as `readFolio` gives it
 */
export async function findByFolio(db: Database, folio: string): Promise<{ id: number; vista: VistaFolio } | undefined> {
  const entry = await db
    .selectFrom('inscripciones')
    .select(['id', 'tipo', 'titular', 'detalle', 'estado', 'created_at'])
    .where('folio', '=', folio)
    // Of one whose deletion has begun nothing is shown any more.
    .where(sql<SqlBool>`inscripciones.id <> all (array(select inscripcion_id from borrados))`)
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
  const place = ({ clase, lado }: (typeof documentos)[number]) =>
    CLASES_DOCUMENTO.indexOf(clase) * 2 + (lado === 'reverso' ? 1 : 0)
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
      documentos: documentos
        .toSorted((a, b) => place(a) - place(b))
        .map(({ clase, lado, nombre_archivo, recibido_at, reemplazado_at }) => ({
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
