import { sql } from 'kysely'
import { anotar } from '#app/audit/mutations.server.ts'
import { type HechoDeAjuste, setAjuste } from '#app/cms/settings/mutations.server.ts'
import type { GanadoraPuesta } from '#app/cms/settings/schema.ts'
import { CANDADOS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { hashText } from '#app/voting/chain/block-seal.server.ts'
import { listCajas } from '#app/voting/chain/published-blocks.server.ts'
import { type Eleccion, readNombres, readReglas } from '#app/voting/election/data.server.ts'
import { signSeal } from '#app/voting/election/seal-signature.server.ts'
import { maySeal, primerLugar } from '#app/voting/election/tally-rules.ts'
import { listMarcas, readMarked, readPast } from '#app/voting/origins/flags.server.ts'
import { MIN_CAJA, PRINCIPIO } from '#app/voting/record/block-seal.ts'
import { type Cierre, readCierre } from '#app/voting/record/schema.ts'
import { annulmentsOf, annulmentText } from './annulments.server.ts'
import { listContadas, readActa, readRetiro, whoIsWho } from './data.server.ts'
import { listMovidos } from './moved-closing.server.ts'
import { ensureApertura, isOwnVote } from './opening-record.server.ts'
import type { ActaSellada } from './record-file.server.ts'
import { type Recuento, recount } from './recount.server.ts'
import type { MotivoDeEscrutinio, RespuestaDeEscrutinio } from './schema.ts'
import { sealLast } from './sealing.server.ts'

export { readGivenPlaces } from './disclosed-seals.server.ts'
export { hasBegun, moveCierre } from './moved-closing.server.ts'

/** The organiser, and from where (`traceOf`). */
interface Autor {
  quien: string
  desde: string
}

/** Draws up the act of zero before the first vote; where nobody does, sealing the first vote draws it up. */
export async function openVote(services: Services, eleccion: Eleccion, autor: Autor): Promise<RespuestaDeEscrutinio> {
  if (eleccion.candidatas.length === 0) return { ok: false, reason: 'sin-candidatas' }
  if (!(await ensureApertura(services, eleccion, services.clock.now(), autor.quien)))
    return { ok: false, reason: 'empezada' }
  await anotar(services.db, autor, { que: 'voto.acta-de-cero', edicion: eleccion.edicion })
  return { ok: true }
}

/**
 * Takes the votes of a mark out of the count: all of them, or those that are on another mark as well, and no others. The
 * votes stay in the chain; the act says how many they are, for whom, and why.
 * @param marca id of the mark
 * @param spare leaves the votes that stand under no other suspicion
 * @param motivo the reason, which is published
 */
export async function annulVotes(
  services: Services,
  eleccion: Eleccion,
  { marca: marcaId, motivo, spare = false }: { marca: number; motivo: string; spare?: boolean },
  autor: Autor,
): Promise<RespuestaDeEscrutinio> {
  const said = motivo.trim().replace(/\s+/g, ' ')
  if (said.length < 10 || said.length > 500) return { ok: false, reason: 'motivo' }
  const { db, clock, keyed } = services
  const { edicion } = eleccion
  return db.transaction().execute(async (tx) => {
    // Annulments run one at a time, and none during the closing.
    await sql`select pg_advisory_xact_lock(${CANDADOS.anular}, ${edicion}::int)`.execute(tx)
    if (await readActa(tx, edicion, 'cierre')) return { ok: false, reason: 'sellada' }
    const marca = await tx
      .selectFrom('marcas')
      .selectAll()
      .where('edicion', '=', edicion)
      .where('id', '=', marcaId)
      .executeTakeFirst()
    if (!marca) return { ok: false, reason: 'nada' }
    const marked = await readMarked({ db: tx, keyed }, eleccion, marca)
    // A stranger who writes into the database could have honest votes annulled by an organiser's own hand.
    if (!marked) return { ok: false, reason: 'marca' }
    if (!(await readPast(tx, eleccion))(marca)) return { ok: false, reason: 'alcanzada' }
    const votes = spare ? marked.filter(({ isUnderAnother }) => isUnderAnother) : marked
    if (votes.length === 0) return { ok: false, reason: 'nada' }
    const conteo: Record<string, number> = {}
    for (const { candidata } of votes) conteo[candidata ?? ''] = (conteo[candidata ?? ''] ?? 0) + 1
    const ids = votes.map(({ id }) => id)
    const row = { edicion, motivo: said, marca_id: marca.id }
    const { id } = await tx
      .insertInto('anulaciones')
      .values({
        ...row,
        votos: votes.length,
        conteo: JSON.stringify(conteo),
        firma: signSeal({ keyed }, annulmentText({ ...row, conteo, ids })),
        quien: autor.quien,
        at: clock.now(),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await sql`insert into votos_anulados (voto_id, anulacion_id) select unnest(${ids}::bigint[]), ${id}`.execute(tx)
    await anotar(tx, autor, { que: 'voto.anulados', anulacion: id })
    return { ok: true }
  })
}

/** The closing was moved by another process: nothing of what was begun stays. */
class StillOpen extends Error {
  override name = 'StillOpen'
}

/** PostgreSQL's lock_not_available. */
const LOCK_NOT_AVAILABLE = '55P03'
/** How long the closing waits for a process that seals. It takes moments, unless its connection is half dead. */
const PATIENCE_MS = 20_000

/**
 * Closes the contest: seals what is left, counts again, and draws up the act that is published. What the count finds
 * wrong stands in the act, which never changes afterwards; no vote comes in any more. A clock that a rehearsal has
 * moved ahead closes nothing: the machine's clock must agree.
 * @returns the act, for the caller to publish
 */
export async function closeVote(
  services: Services,
  eleccion: Eleccion,
  autor: Autor,
  { machineNow = new Date(), patienceMs = PATIENCE_MS }: { machineNow?: Date; patienceMs?: number } = {},
): Promise<{ ok: true; acta: ActaSellada } | { ok: false; reason: MotivoDeEscrutinio }> {
  const { db, clock } = services
  const { edicion, cierre } = eleccion
  if (!maySeal(cierre, clock.now())) return { ok: false, reason: 'abierta' }
  if (!maySeal(cierre, machineNow)) return { ok: false, reason: 'reloj' }
  if (eleccion.candidatas.length === 0) return { ok: false, reason: 'sin-candidatas' }
  if (!(await isOwnVote(services, edicion))) return { ok: false, reason: 'otra-firma' }
  await ensureApertura(services, eleccion, clock.now(), autor.quien)
  const sealed = await db
    .transaction()
    .execute(async (tx) => {
      // The chain may be counted beside it for longer than the database lets a connection rest.
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
      await sealLast(services, tx, eleccion, patienceMs)
      await sql`select pg_advisory_xact_lock(${CANDADOS.anular}, ${edicion}::int)`.execute(tx)
      if (await readActa(tx, edicion, 'cierre')) return undefined
      // Another process may have moved the closing a moment ago.
      const moved = (await listMovidos(tx, edicion)).at(-1)
      if (moved && !(maySeal(moved.ahora, clock.now()) && maySeal(moved.ahora, machineNow))) throw new StillOpen()
      const acta = await drawUp(tx, eleccion, await recount({ ...services, db: tx }, eleccion, true), clock.now())
      const contenido = JSON.stringify(acta)
      const sello = hashText(contenido)
      await anotar(tx, autor, { que: 'voto.acta-de-cierre', edicion })
      return tx
        .insertInto('actas')
        .values({
          edicion,
          clase: 'cierre',
          contenido,
          sello,
          firma: signSeal(services, `cierre ${edicion} ${sello}`),
          quien: autor.quien,
          at: clock.now(),
        })
        .returningAll()
        .executeTakeFirstOrThrow()
    })
    .catch((error: { code?: string }) => {
      if (error instanceof StillOpen) return 'abierta' as const
      if (error.code === LOCK_NOT_AVAILABLE) return 'ocupada' as const
      throw error
    })
  if (sealed === 'abierta') return { ok: false, reason: 'abierta' }
  if (sealed === 'ocupada') return { ok: false, reason: 'ocupada' }
  if (!sealed) return { ok: false, reason: 'sellada' }
  return { ok: true, acta: sealed }

  async function drawUp(
    tx: Database,
    { retiradas = [] }: Eleccion,
    { ajenos, fallas, ultimo, papeletas, votos }: Recuento,
    now: Date,
  ): Promise<Cierre> {
    const sums = new Map(votos)
    // The links are those that were published while the vote was open, and the last.
    const cajas = await listCajas(tx, edicion)
    const anulaciones = await annulmentsOf(tx, edicion)
    for (const { conteo } of anulaciones)
      for (const [candidata, votos] of Object.entries(conteo)) sums.set(candidata, (sums.get(candidata) ?? 0) - votos)
    const anulados = anulaciones.reduce((sum, { votos }) => sum + votos, 0)
    const nombres = await readNombres(tx, eleccion)
    const namesIn = (id: string) => [...sums.keys()].filter((name) => nombres.get(name) === id)
    const sumOf = (names: string[]) => names.reduce((sum, name) => sum + sums.get(name)!, 0)
    const contadas = await listContadas(tx, eleccion)
    const totales = contadas.flatMap(({ id, nombre: present, retirada }) => {
      const names = namesIn(id)
      // Of who was withdrawn, nothing is said that no ballot says.
      const nombre = retirada && !names.includes(present) ? names.sort()[0] : present
      if (nombre === undefined) return []
      const antes = names.filter((name) => name !== nombre).sort()
      return [{ id, nombre, ...(antes.length > 0 && { antes }), votos: sumOf(names) }]
    })
    const regla = await readRetiro(tx, eleccion)
    const idas = retiradas.map(({ id, nombre: present, desde }) => {
      const names = namesIn(id).sort()
      const nombre = present !== undefined && names.includes(present) ? present : names[0]
      const antes = names.filter((name) => name !== nombre)
      const said = { ...(nombre !== undefined && { nombre }), ...(antes.length > 0 && { antes }) }
      return { id, ...said, desde, votos: sumOf(names), regla }
    })
    const { reglas, publicadas } = await readReglas(tx, eleccion)
    const marcas = await listMarcas(tx, edicion)
    const movidos = await listMovidos(tx, edicion)
    const { sello } = await tx
      .selectFrom('actas')
      .select('sello')
      .where('edicion', '=', edicion)
      .where('clase', '=', 'apertura')
      .executeTakeFirstOrThrow()
    return {
      clase: 'cierre',
      edicion,
      apertura: sello,
      candidatas: totales,
      otros: papeletas - anulados - totales.reduce((sum, { votos }) => sum + votos, 0),
      ...(idas.length > 0 && { retiradas: idas }),
      ...(movidos.length > 0 && {
        movidos: movidos.map(({ antes, ahora, motivo, levantada, sello: its }) => ({
          ...{ antes, ahora, motivo, levantada, sello: its },
        })),
      }),
      papeletas,
      anulados,
      ...(publicadas && { reglas }),
      marcas: marcas.map(({ clase, origen, tramo, umbral, votos, anulados: gone }) => ({
        ...{ clase, origen, ...(tramo && { tramo: tramo.toISOString() }) },
        ...{ umbral, votos, anulados: gone },
      })),
      anulaciones: anulaciones.map(({ marcaId, motivo, votos, conteo, recibos }) => ({
        ...(marcaId !== null && { marca: marcas.findIndex(({ id }) => id === marcaId) }),
        motivo,
        votos,
        conteo,
        huella: hashText(recibos.join('\n')),
      })),
      ajenos,
      fallas,
      minimo: MIN_CAJA,
      cajas: cajas.length,
      ultimoSello: cajas.at(-1)?.sello ?? PRINCIPIO,
      ultimoLote: ultimo,
      levantada: now.toISOString(),
    }
  }
}

/**
 * Proclaims the winner on /misspopularidad, at once and in every process: the one who leads in the sealed act, if
 * everything sealed is still as it was. Where several lead, the organisers choose.
 * @param puesta with the candidate's id; undefined takes the proclamation back, and the content's winner holds again
 * @param version of the proclamation that was seen, 0: none
 */
export async function proclaimGanadora(
  services: Services,
  eleccion: Eleccion,
  { puesta, version }: { puesta: GanadoraPuesta | undefined; version: number },
  autor: Autor,
): Promise<RespuestaDeEscrutinio | Exclude<HechoDeAjuste, { ok: true }>> {
  const { edicion } = eleccion
  const set = (sobre: string) =>
    setAjuste(
      services.db,
      edicion,
      { nombre: 'votacion.ganadora', valor: puesta, version, sobre },
      autor,
      services.clock.now(),
    )
  if (!puesta) return set('nadie desde el panel: lo que dice el contenido')
  const sealed = await readActa(services.db, edicion, 'cierre')
  if (!sealed) return { ok: false, reason: 'sin-acta' }
  // The recount also checks the act's own signature.
  if ((await recount(services, eleccion)).fallas.length > 0) return { ok: false, reason: 'diferencias' }
  const acta = readCierre(sealed.contenido)
  if (acta.fallas.length > 0) return { ok: false, reason: 'diferencias' }
  const leading = primerLugar(await whoIsWho(services.db, eleccion, acta))
  const chosen = leading.find(({ quien }) => quien !== undefined && quien === puesta.candidata)
  if (!chosen) return { ok: false, reason: 'no-gano' }
  const names = leading.map(({ nombre }) => nombre)
  return set(names.length === 1 ? chosen.nombre : `${chosen.nombre}, entre empatadas: ${names.join(', ')}`)
}
