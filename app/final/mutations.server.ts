import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type Autor, anotar } from '#app/bitacora/mutations.server.ts'
import type { Evento } from '#app/bitacora/schema.ts'
import { endCuentasDeJurado, endSesionesDeJurado, makeCuentaDeJurado } from '#app/cuentas/jurados.server.ts'
import { sha256 } from '#app/escrutinio/cadena.ts'
import { CANDADOS } from '#app/platform/candados.ts'
import type { Database } from '#app/platform/database.server.ts'
import type { Services } from '#app/platform/services.server.ts'
import type { Asiento, Hecho } from './asientos.ts'
import { type Acta, listJurado, loadParaAbrir, readActa, signAsiento } from './data.server.ts'
import { activas, nombreDe, rondaAbierta } from './estado.ts'
import { type MotivoDeFinal, objeta, readMotivo } from './reglas.ts'
import { isCalificacion, ordenDe, ordenFinal, quienesEntran } from './rules.ts'

type Sitio = Pick<Services, 'db' | 'clock' | 'keyed'>

export type HechoDeFinal =
  | { ok: true; asiento: Asiento }
  /** `alterada`: the act is no longer what the site sealed. */
  | { ok: false; reason: MotivoDeFinal | 'alterada' }

/** What is to follow: an entry, or why there is none. */
type Propuesta = { hecho: Hecho; evento: Evento } | { reason: MotivoDeFinal }

/** The events of a final, by the kind of their entry. */
const EVENTO = {
  'final-abierta': 'final.abierta',
  'ronda-abierta': 'final.ronda-abierta',
  hoja: 'final.hoja',
  'hoja-reabierta': 'final.hoja-reabierta',
  retiro: 'final.retiro',
  'ronda-cerrada': 'final.ronda-cerrada',
  'final-anulada': 'final.anulada',
  cierre: 'final.sellada',
} as const

/**
 * Adds an entry to the act, if it may follow. Entries of an edition are written one at a time.
 * @param propone what is to follow the act as it stands
 * @param clave the request, where it may come again: the entry that it made is answered then
 */
async function asentar(
  { db, clock, keyed }: Sitio,
  edicion: number,
  propone: (acta: Acta, tx: Database) => Promise<Propuesta> | Propuesta,
  autor: Autor,
  { clave, after }: { clave?: string; after?: (tx: Database, now: Date) => Promise<void> } = {},
): Promise<HechoDeFinal> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${CANDADOS.asentar}, ${edicion}::int)`.execute(tx)
    if (clave !== undefined) {
      const made = await tx
        .selectFrom('asientos_de_final')
        .select('contenido')
        .where('edicion', '=', edicion)
        .where('clave', '=', clave)
        .executeTakeFirst()
      if (made) return { ok: true, asiento: JSON.parse(made.contenido) as Asiento }
    }
    const acta = await readActa({ db: tx, keyed }, edicion)
    if (acta.alterado !== undefined) return { ok: false, reason: 'alterada' }
    const propuesta = await propone(acta, tx)
    if ('reason' in propuesta) return { ok: false, reason: propuesta.reason }
    const reason = objeta(acta.estado, propuesta.hecho)
    if (reason) return { ok: false, reason }
    const now = clock.now()
    const { clase, ...dicho } = propuesta.hecho
    const numero = acta.asientos.length + 1
    const asiento = {
      ...{ clase, edicion, numero, anterior: acta.sello, levantada: now.toISOString() },
      ...dicho,
    } as Asiento
    const contenido = JSON.stringify(asiento)
    const sello = await sha256(contenido)
    const firma = signAsiento({ keyed }, edicion, numero, sello)
    await tx
      .insertInto('asientos_de_final')
      .values({ edicion, numero, contenido, sello, firma, clave: clave ?? null, quien: autor.quien, at: now })
      .execute()
    await after?.(tx, now)
    await anotar(tx, autor, propuesta.evento)
    return { ok: true, asiento }
  })
}

const con = (edicion: number, hecho: Hecho, sobre?: string): Propuesta => ({
  hecho,
  evento: { que: EVENTO[hecho.clase], edicion, ...(sobre !== undefined && { sobre }) },
})

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
      return con(edicion, { clase: 'retiro', candidata, motivo }, `${nombreDe(final, candidata)}: ${motivo}`)
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

const HOUR_MS = 3_600_000
/** The evening lasts so long after the coronation begins; a rehearsal so long after its links were made. */
const NOCHE_MS = 12 * HOUR_MS

/** Until when links that are made now hold. */
export const finDeLaNoche = (coronacion: Date, now: Date): Date =>
  new Date(Math.max(coronacion.getTime(), now.getTime()) + NOCHE_MS)

const hashOf = (llave: string) => createHash('sha256').update(llave).digest('hex')

const MAX_NOMBRE = 60

/**
 * Makes a judge's link, which opens one telephone. Whatever link or telephone the judge had is shut out.
 * @returns the link's key, which nobody can read again; undefined where there is no such place
 */
export async function hacerEnlace(
  { db, clock }: Sitio,
  { juez, nombre }: { juez: number; nombre: string },
  autor: Autor,
): Promise<{ llave: string } | undefined> {
  const { edicion, reglas, coronacion } = await loadParaAbrir()
  if (!Number.isInteger(juez) || juez < 1 || juez > reglas.jueces) return undefined
  const said =
    nombre
      .replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')
      .trim()
      .slice(0, MAX_NOMBRE) || `Jurado ${juez}`
  const llave = randomBytes(24).toString('base64url')
  const now = clock.now()
  const hasta = finDeLaNoche(coronacion, now)
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${CANDADOS.asentar}, ${edicion}::int)`.execute(tx)
    const before = await tx
      .selectFrom('jueces')
      .select('user_id')
      .where('edicion', '=', edicion)
      .where('numero', '=', juez)
      .executeTakeFirst()
    const cuenta = await makeCuentaDeJurado(tx, { cuenta: before?.user_id ?? null, nombre: said, hasta })
    const fields = {
      ...{ nombre: said, user_id: cuenta, huella: hashOf(llave) },
      ...{ vence_at: hasta, usado_at: null, usado_por: null },
    }
    await tx
      .insertInto('jueces')
      .values({ edicion, numero: juez, ...fields })
      .onConflict((conflict) => conflict.columns(['edicion', 'numero']).doUpdateSet(fields))
      .execute()
    await anotar(tx, autor, { que: 'final.enlace', edicion, sobre: `Jurado ${juez}: ${said}` })
  })
  return { llave }
}

/** Shuts out a judge's telephone and link, without another one. */
export async function cerrarTelefono({ db }: Sitio, edicion: number, juez: number, autor: Autor): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const row = await tx
      .updateTable('jueces')
      .set({ huella: null })
      .where('edicion', '=', edicion)
      .where('numero', '=', juez)
      .returning('user_id')
      .executeTakeFirst()
    if (row?.user_id) await endSesionesDeJurado(tx, [row.user_id])
    await anotar(tx, autor, { que: 'final.enlace.retirado', edicion, sobre: `Jurado ${juez}` })
  })
}

export type MotivoDeEnlace = 'desconocido' | 'usado' | 'vencido'

/**
 * Uses a judge's link, which serves one telephone.
 * @param aparato what the telephone calls itself: the same one may ask again, after a lost answer
 * @returns the judge's account
 */
export async function usarEnlace(
  { db, clock }: Sitio,
  llave: string,
  aparato: string,
): Promise<{ ok: true; cuenta: string } | { ok: false; reason: MotivoDeEnlace }> {
  const [huella, por, now] = [hashOf(llave), hashOf(aparato), clock.now()]
  // Of two requests at once, one finds the link unused.
  const used = await db
    .updateTable('jueces')
    .set({ usado_at: now, usado_por: por })
    .where('huella', '=', huella)
    .where('vence_at', '>', now)
    .where((eb) => eb.or([eb('usado_at', 'is', null), eb('usado_por', '=', por)]))
    .returning('user_id')
    .executeTakeFirst()
  if (used?.user_id) return { ok: true, cuenta: used.user_id }
  const row = await db.selectFrom('jueces').select('vence_at').where('huella', '=', huella).executeTakeFirst()
  if (!row) return { ok: false, reason: 'desconocido' }
  return { ok: false, reason: row.vence_at && row.vence_at > now ? 'usado' : 'vencido' }
}

type SinFirmar = Record<string, (number | null)[]>

async function writeSinFirmar(
  tx: Database,
  { edicion, ronda, juez }: { edicion: number; ronda: number; juez: number },
  calificaciones: SinFirmar,
  at: Date,
): Promise<void> {
  const fields = { calificaciones: JSON.stringify(calificaciones), at }
  await tx
    .insertInto('hojas_sin_firmar')
    .values({ edicion, ronda, juez, ...fields })
    .onConflict((conflict) => conflict.columns(['edicion', 'ronda', 'juez']).doUpdateSet(fields))
    .execute()
}

/** One score that was typed. */
export interface Toque {
  candidata: string
  /** Place of the criterion, from 0. */
  criterio: number
  /** Tenths. */
  decimas: number
}

/** Keeps what a judge has typed and not signed. @returns why not; undefined when it is kept */
export function guardarToques(
  { db, clock, keyed }: Sitio,
  { edicion, ronda, juez }: { edicion: number; ronda: number; juez: number },
  toques: readonly Toque[],
): Promise<MotivoDeFinal | 'alterada' | undefined> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock_shared(${CANDADOS.asentar}, ${edicion}::int)`.execute(tx)
    const { estado, alterado } = await readActa({ db: tx, keyed }, edicion)
    if (alterado !== undefined) return 'alterada'
    const { final } = estado
    const abierta = final && rondaAbierta(final)
    if (!final || abierta?.numero !== ronda) return 'ronda-cerrada'
    if (!final.apertura.jurado.some(({ numero }) => numero === juez)) return 'juez'
    if (abierta.hojas.has(juez)) return 'firmada'
    const { criterios } = final.reglas.rondas[ronda - 1]!
    const present = activas(final, abierta)
    await tx
      .insertInto('hojas_sin_firmar')
      .values({ edicion, ronda, juez, calificaciones: '{}', at: clock.now() })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const row = await tx
      .selectFrom('hojas_sin_firmar')
      .select('calificaciones')
      .where('edicion', '=', edicion)
      .where('ronda', '=', ronda)
      .where('juez', '=', juez)
      .forUpdate()
      .executeTakeFirstOrThrow()
    const hoja: SinFirmar = { ...row.calificaciones }
    for (const { candidata, criterio, decimas } of toques) {
      // Whoever was withdrawn meanwhile is left out; the rest is kept.
      if (!present.includes(candidata) || !criterios[criterio]) continue
      if (!isCalificacion(decimas, final.reglas)) return 'escala'
      const marks = hoja[candidata] ?? criterios.map(() => null)
      hoja[candidata] = marks.with(criterio, decimas)
    }
    await writeSinFirmar(tx, { edicion, ronda, juez }, hoja, clock.now())
    return undefined
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
