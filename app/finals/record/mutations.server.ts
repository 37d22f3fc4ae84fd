import { randomBytes } from 'node:crypto'
import { endCuentasDeJurado } from '#app/accounts/people/judges.server.ts'
import { type Autor, anotar } from '#app/audit/mutations.server.ts'
import { asentar, con, type HechoDeFinal, type Sitio } from './append-record-entry.server.ts'
import { listJurado, loadParaAbrir, readActa } from './data.server.ts'
import { readMotivo } from './record-entry-rules.ts'
import { ordenDe, ordenFinal, quienesEntran } from './scoring.ts'
import { rondaAbierta } from './state.ts'
import { writeSinFirmar } from './unsigned-sheets.server.ts'

/** Opens the final: from here on the rules of the act hold, whatever the edition says. */
export async function abrirFinal(services: Sitio, autor: Autor): Promise<HechoDeFinal> {
  const { edicion, conNombres, reglas, candidatas } = await loadParaAbrir()
  return asentar(
    services,
    edicion,
    async (_, tx) => {
      if (reglas.rondas.length === 0) return { reason: 'sin-reglas' }
      const jurado = await listJurado(tx, edicion, reglas.jueces, services.clock.now())
      if (jurado.some(({ cuenta }) => cuenta === null)) return { reason: 'jurado' }
      return con(edicion, {
        ...{ clase: 'final-abierta', reglas, candidatas },
        jurado: jurado.map(({ numero, nombre }) => ({ numero, nombre: conNombres ? nombre : `Jurado ${numero}` })),
        azar: randomBytes(32).toString('hex'),
      })
    },
    autor,
    { after: async (tx) => void (await tx.deleteFrom('hojas_sin_firmar').where('edicion', '=', edicion).execute()) },
  )
}

/** Opens the next round, with those who go on. @param ronda the one that was seen as the next */
export const abrirRonda = (services: Sitio, edicion: number, ronda: number, autor: Autor): Promise<HechoDeFinal> =>
  asentar(
    services,
    edicion,
    ({ estado: { final } }) => {
      if (!final) return { reason: 'sin-abrir' }
      const nombre = final.reglas.rondas[ronda - 1]?.nombre
      return con(edicion, { clase: 'ronda-abierta', ronda, candidatas: quienesEntran(final) }, nombre)
    },
    autor,
  )

/**
 * Closes the round under way, and says who stands where.
 * @param motivos by judge: why the round is closed without that sheet
 */
export const cerrarRonda = (
  services: Sitio,
  edicion: number,
  ronda: number,
  motivos: ReadonlyMap<number, unknown>,
  autor: Autor,
): Promise<HechoDeFinal> =>
  asentar(
    services,
    edicion,
    ({ estado: { final } }) => {
      const abierta = final && rondaAbierta(final)
      if (!abierta || abierta.numero !== ronda) return { reason: 'ronda-cerrada' }
      const missing = final.apertura.jurado.flatMap(({ numero }) => (abierta.hojas.has(numero) ? [] : [numero]))
      const sin = missing.flatMap((juez) => {
        const motivo = readMotivo(motivos.get(juez))
        return motivo ? [{ juez, motivo }] : []
      })
      if (sin.length < missing.length) return { reason: 'faltan' }
      const { nombre } = final.reglas.rondas[ronda - 1]!
      return con(edicion, { clase: 'ronda-cerrada', ronda, sin, orden: ordenDe(final, abierta).orden }, nombre)
    },
    autor,
  )

/** Lets one judge write the sheet of the open round again, with what was signed as its beginning. */
export const reabrirHoja = (
  services: Sitio,
  edicion: number,
  { ronda, juez, motivo: given }: { ronda: number; juez: number; motivo: unknown },
  autor: Autor,
): Promise<HechoDeFinal> =>
  asentar(
    services,
    edicion,
    async ({ estado: { final } }, tx) => {
      const motivo = readMotivo(given)
      if (!motivo) return { reason: 'motivo' }
      const hoja = final && rondaAbierta(final)?.hojas.get(juez)
      if (hoja && rondaAbierta(final)?.numero === ronda)
        await writeSinFirmar(tx, { edicion, ronda, juez }, hoja.calificaciones, services.clock.now())
      return con(edicion, { clase: 'hoja-reabierta', ronda, juez, motivo }, `Jurado ${juez}: ${motivo}`)
    },
    autor,
  )

/** Takes a candidate out of the final: from here on she is nobody's to score, and has no place. */
export const retirarDeFinal = (
  services: Sitio,
  edicion: number,
  { candidata, motivo: given }: { candidata: string; motivo: unknown },
  autor: Autor,
): Promise<HechoDeFinal> =>
  asentar(
    services,
    edicion,
    ({ estado: { final } }) => {
      const motivo = readMotivo(given)
      if (!motivo) return { reason: 'motivo' }
      if (!final) return { reason: 'sin-abrir' }
      return con(edicion, { clase: 'retiro', candidata, motivo }, candidata)
    },
    autor,
  )

/** Annuls what was opened, a rehearsal say, so that it can be opened anew; the act keeps what was. */
export const anularFinal = (services: Sitio, edicion: number, given: unknown, autor: Autor): Promise<HechoDeFinal> =>
  asentar(
    services,
    edicion,
    () => {
      const motivo = readMotivo(given)
      return motivo ? con(edicion, { clase: 'final-anulada', motivo }, motivo) : { reason: 'motivo' }
    },
    autor,
  )

/** Seals the act: the last entry. The judges' evening ends with it. */
export const sellarActa = (services: Sitio, edicion: number, autor: Autor): Promise<HechoDeFinal> =>
  asentar(
    services,
    edicion,
    ({ estado: { final } }) =>
      final ? con(edicion, { clase: 'cierre', orden: ordenFinal(final) }) : { reason: 'sin-abrir' },
    autor,
    {
      async after(tx, now) {
        const rows = await tx
          .updateTable('jueces')
          .set({ huella: null, vence_at: null })
          .where('edicion', '=', edicion)
          .returning('user_id')
          .execute()
        await endCuentasDeJurado(
          tx,
          rows.flatMap(({ user_id }) => user_id ?? []),
          now,
        )
        await tx.deleteFrom('hojas_sin_firmar').where('edicion', '=', edicion).execute()
      },
    },
  )

/** Makes the sealed act public, or takes it back. */
export async function publicarActa(
  { db, clock, keyed }: Sitio,
  edicion: number,
  publica: boolean,
  autor: Autor & { quien: string },
): Promise<{ ok: true } | { ok: false; reason: 'sin-terminar' | 'alterada' }> {
  const { estado, alterado } = await readActa({ db, keyed }, edicion)
  if (publica && alterado !== undefined) return { ok: false, reason: 'alterada' }
  if (publica && !estado.final?.cierre) return { ok: false, reason: 'sin-terminar' }
  return db.transaction().execute(async (tx) => {
    if (publica)
      await tx
        .insertInto('finales_publicas')
        .values({ edicion, quien: autor.quien, at: clock.now() })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    else await tx.deleteFrom('finales_publicas').where('edicion', '=', edicion).execute()
    await anotar(tx, autor, { que: publica ? 'final.publica' : 'final.oculta', edicion })
    return { ok: true }
  })
}

/** Signs a judge's sheet, which is final. @param clave of this signature: sent again, it is answered again */
export const firmarHoja = (
  services: Sitio,
  { edicion, ronda, juez, clave }: { edicion: number; ronda: number; juez: number; clave: string },
  calificaciones: Record<string, number[]>,
  autor: Autor,
): Promise<HechoDeFinal> =>
  asentar(
    services,
    edicion,
    ({ estado: { final } }) =>
      con(
        edicion,
        { clase: 'hoja', ronda, juez, calificaciones },
        `Jurado ${juez}, ${final?.reglas.rondas[ronda - 1]?.nombre ?? `ronda ${ronda}`}`,
      ),
    autor,
    // Whoever knows another judge's key gets no answer by it.
    { clave: `${juez}:${ronda}:${clave}` },
  )
