import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { type CajasRecontadas, recountCajas } from '#app/voting/chain/block-recount.server.ts'
import { hashText } from '#app/voting/chain/block-seal.server.ts'
import { type CadenaRecontada, recountCadena } from '#app/voting/chain/recount.server.ts'
import { isAsCounted, lastRecuento, signRecuento } from '#app/voting/chain/signed-recount.server.ts'
import { type Eleccion, isNombreSigned, NAME_KEY, readNombres, readReglas } from '#app/voting/election/data.server.ts'
import { isSealed } from '#app/voting/election/seal-signature.server.ts'
import { cuantos } from '#app/voting/election/tally-rules.ts'
import { checkMarcas } from '#app/voting/origins/flags.server.ts'
import { checkMovidos } from '#app/voting/record/closing-moves.ts'
import { type Apertura, type Cierre, type Movido, namesOf, readCierre, readMovido } from '#app/voting/record/schema.ts'
import { annulledIds, annulmentText } from './annulments.server.ts'
import { readActa } from './data.server.ts'
import { listGivenAway } from './disclosed-seals.server.ts'
import { countApart, countElsewhere, readBeside } from './recount-beside-chain.server.ts'

export interface Recuento {
  papeletas: number
  lotes: number
  /** Seal of the last batch. */
  ultimo: string
  /** Votes by what stands on the ballots. */
  votos: ReadonlyMap<string, number>
  /** Rows of the edition that did not come through the site and that no seal covers. */
  ajenos: number
  /** Spanish sentences; empty: everything is as it was sealed. */
  fallas: string[]
}

/**
 * Compares every vote with its own signature and with the chain, the chain with itself, the sums with both, and the
 * names with the candidates; keeps the outcome for the panel. Every change, removal or insertion in the database that
 * did not come through the site shows here.
 * @param isClosing the closing act is about to be sealed: the last link is closed, however small
 */
export async function recount(services: Services, eleccion: Eleccion, isClosing = false): Promise<Recuento> {
  const { edicion } = eleccion
  const { db, clock, keyed } = services
  const { reglas } = await readReglas(db, eleccion)
  const cajas = await recountCajas({ db, keyed }, edicion, isClosing)
  const chain = await recountCadena(services, edicion, cajas.cajas, {
    red: reglas.rafagaPorRed,
    bloque: reglas.rafagaPorBloque,
  })
  const { papeletas, lotes, ultimo, sums, fallas } = chain
  const { ajenos, kept: beside, cut, ...rest } = await checkRest(services, eleccion, chain, cajas)
  fallas.push(...rest.fallas)
  const result: Recuento = { papeletas, lotes, ultimo, votos: sums, ajenos, fallas }
  // A part of the chain that was cut off is reported as missing at every later count, too.
  const reached = cut ?? { lotes, ultimo }
  const counted = { edicion, at: clock.now(), papeletas, ...reached, ...beside, fallas }
  const kept = { ...counted, fallas: JSON.stringify(fallas), firma: signRecuento({ keyed }, counted) }
  await db
    .insertInto('recuentos')
    .values(kept)
    .onConflict((conflict) => conflict.column('edicion').doUpdateSet(kept))
    .execute()
  return result
}

/** Compares the act of zero and the links with what the site has given away of them. */
async function checkGivenAway(
  { db, storage, log }: Services,
  edicion: number,
  { cajas }: CajasRecontadas,
): Promise<string[]> {
  const given = await listGivenAway(storage, edicion).catch((error: unknown) => {
    log.warn({ err: error }, 'the seals that were given away could not be read; the count goes on without them')
    return []
  })
  const apertura = await readActa(db, edicion, 'apertura')
  const there = new Set([...cajas.map(({ numero, sello }) => `${numero} ${sello}`), `0 ${apertura?.sello}`])
  const lost = given.filter(({ numero, sello }) => !there.has(`${numero} ${sello}`))
  return lost
    .slice(0, MAX_LOST)
    .map(({ numero, sello }) =>
      numero === 0
        ? 'El acta de cero es otra que la que este sitio publicó.'
        : `Este sitio publicó la caja ${numero} con el sello ${sello.slice(0, 16)}…, y en la base de datos ya no está así.`,
    )
    .concat(lost.length > MAX_LOST ? [`Y ${lost.length - MAX_LOST} cajas más que se publicaron y ya no están.`] : [])
}

/** So many lost links are said one by one. */
const MAX_LOST = 5

/**
 * Checks what stands beside the chain: rows outside it, sums, annulments, acts, and that nothing of the last count is
 * missing.
 */
async function checkRest(
  services: Services,
  eleccion: Eleccion,
  chain: CadenaRecontada,
  links: CajasRecontadas,
): Promise<{
  fallas: string[]
  ajenos: number
  /** What the next count compares itself with. */
  kept: { anulados: number; actas: number; cajas: number; ultima_caja: string | null; alterado: boolean }
  /** How far the chain reached at an earlier count, if that part is not in it any more. */
  cut: { lotes: number; ultimo: string } | undefined
}> {
  const { edicion } = eleccion
  const { db, keyed } = services
  const fallas: string[] = []
  let cierre: Cierre | undefined
  let opened: Apertura | undefined
  let cut: { lotes: number; ultimo: string } | undefined
  // The last count is read first: what another process counts from here on can only be more.
  const said = await lastRecuento(db, edicion)
  const apart = await countApart(services, edicion)
  const beside = await readBeside(db, edicion)
  const stray = [...beside.perdidos.values()].reduce((sum, votos) => sum + votos, 0)
  const say = (votos: number, one: string, many: string) => {
    if (votos > 0) fallas.push(votos === 1 ? `Un voto ${one}.` : `${votos} votos ${many}.`)
  }
  say(
    apart,
    'se escribió en la base de datos sin pasar por el sitio',
    'se escribieron en la base de datos sin pasar por el sitio',
  )
  say(stray, 'dice ser de un lote que no lo tiene', 'dicen ser de un lote que no los tiene')
  say(
    await countElsewhere(db, edicion),
    'se escribió en la base de datos con otra edición',
    'se escribieron en la base de datos con otra edición',
  )

  // Otherwise more batches have been sealed since the chain was read, and the sums are ahead of it.
  if (beside.ultimo === chain.numero) {
    const names = new Set([...beside.sumas.keys(), ...chain.sums.keys(), ...beside.perdidos.keys()])
    for (const name of names) {
      const said = beside.sumas.get(name) ?? 0
      const found = (chain.sums.get(name) ?? 0) + (beside.perdidos.get(name) ?? 0)
      if (said !== found)
        fallas.push(`La suma de ${name || 'votos en blanco'} dice ${said} y sus papeletas son ${found}.`)
    }
  }

  fallas.push(...(await checkGivenAway(services, edicion, links)))

  // Marks and the votes that they are on come together, with each batch: they are read as of one moment.
  const ofMarcas = (tx: Database) => checkMarcas({ ...services, db: tx }, eleccion, chain.rafagas)
  fallas.push(
    ...(await (db.isTransaction
      ? ofMarcas(db)
      : db.transaction().setIsolationLevel('repeatable read').execute(ofMarcas))),
  )

  const anulaciones = await db.selectFrom('anulaciones').selectAll().where('edicion', '=', edicion).execute()
  for (const one of anulaciones) {
    const ids = await annulledIds(db, one.id)
    if (!isSealed(services, annulmentText({ ...one, ids }), one.firma))
      fallas.push(`La anulación ${one.id} fue cambiada después de hacerse.`)
  }
  const anulados = anulaciones.reduce((sum, { votos }) => sum + votos, 0)
  const actas = await db.selectFrom('actas').selectAll().where('edicion', '=', edicion).execute()
  const movidos: (Movido & { sello: string })[] = []
  for (const { clase, contenido, sello, firma } of actas.toSorted((a, b) => a.numero - b.numero))
    if (hashText(contenido) !== sello || !isSealed(services, `${clase} ${edicion} ${sello}`, firma))
      fallas.push(`El acta de ${clase} fue cambiada después de sellarse.`)
    else if (clase === 'apertura') opened = JSON.parse(contenido) as Apertura
    else if (clase === 'cierre-movido') movidos.push({ ...readMovido(contenido), sello })
    else if (clase === 'cierre') {
      cierre = readCierre(contenido)
      fallas.push(...(await checkCierre(db, eleccion, cierre, chain.sums, anulaciones)))
      if (cierre.anulados !== anulados)
        fallas.push(`El acta de cierre cuenta otros votos anulados que los que hay (${anulados}).`)
      if (cierre.ultimoLote !== chain.ultimo) fallas.push('La cadena no termina en el lote que el acta de cierre dice.')
    }
  const apertura = actas.find(({ clase }) => clase === 'apertura')
  if (opened && apertura) fallas.push(...checkMovidos({ ...opened, sello: apertura.sello }, movidos))
  if (cierre && String((cierre.movidos ?? []).map(({ sello }) => sello)) !== String(movidos.map(({ sello }) => sello)))
    fallas.push('El acta de cierre nombra otras actas del cierre movido que las que hay.')
  if (chain.papeletas > 0 && !actas.some(({ clase }) => clase === 'apertura')) fallas.push('Falta el acta de cero.')

  fallas.push(
    ...(await checkNombres(services, eleccion, actas.some(({ clase }) => clase === 'cierre') ? [] : chain.sums)),
  )

  // What was not written by a count is no measure for this one.
  const isOwn = isAsCounted({ keyed }, said, {
    mayBeUnsigned: opened?.minimo === undefined && links.cajas.length === 0,
    mustBe: cierre?.minimo !== undefined,
  })
  const before = isOwn ? said : undefined
  const alterado = !isOwn || (before?.alterado ?? false)
  if (alterado) fallas.push('Un recuento anterior se cambió o se borró en la base de datos sin pasar por el sitio.')

  if (before && before.lotes > 0) {
    const then = await db
      .selectFrom('lotes')
      .select('sello')
      .where('edicion', '=', edicion)
      .where('numero', '=', before.lotes)
      .executeTakeFirst()
    if (then?.sello !== before.ultimo) {
      cut = { lotes: before.lotes, ultimo: before.ultimo }
      fallas.push(`En el recuento anterior la cadena llegaba al lote ${before.lotes}; ya no es la misma.`)
    }
  }
  if (before && before.anulados > anulados)
    fallas.push(
      `En el recuento anterior había ${cuantos(before.anulados, 'voto anulado', 'votos anulados')}; ahora hay ${anulados}.`,
    )
  if (before && before.actas > actas.length) fallas.push('Un acta que estaba en el recuento anterior ya no está.')
  const cajas = await links.end(chain.cajas, cierre, before)
  fallas.push(...cajas.fallas)
  return {
    fallas,
    ajenos: apart + stray,
    kept: {
      anulados: Math.max(anulados, before?.anulados ?? 0),
      actas: Math.max(actas.length, before?.actas ?? 0),
      ...cajas.reached,
      alterado,
    },
    cut,
  }
}

/**
 * Checks that each name on a vote still belongs to the candidate to whom the site gave it.
 * @param sums of sealed ballots, by name
 */
async function checkNombres(
  { db, keyed }: Services,
  eleccion: Eleccion,
  sums: Iterable<[string, number]>,
): Promise<string[]> {
  const { edicion } = eleccion
  const kept = await db.selectFrom('candidatas').selectAll().where('edicion', '=', edicion).execute()
  const nombres = await readNombres(db, eleccion)
  return [
    ...kept
      .filter((row) => !isNombreSigned(keyed(NAME_KEY), row))
      .map(({ nombre }) => `De quién es el nombre «${nombre}» se escribió en la base de datos sin pasar por el sitio.`),
    ...[...sums]
      .filter(([nombre, votos]) => nombre !== '' && votos > 0 && !nombres.has(nombre))
      .map(([nombre, votos]) => `«${nombre}» no es ninguna de las candidatas y tiene ${cuantos(votos, 'voto')}.`),
  ]
}

/**
 * Checks that the closing act counts what its ballots say, and that their names still belong to the act's candidates.
 */
async function checkCierre(
  db: Database,
  eleccion: Eleccion,
  acta: Cierre,
  sums: Map<string, number>,
  anulaciones: readonly { conteo: Record<string, number> }[],
): Promise<string[]> {
  const nombres = await readNombres(db, eleccion)
  const countOf = (name: string) =>
    anulaciones.reduce((sum, { conteo }) => sum - (conteo[name] ?? 0), sums.get(name) ?? 0)
  // The lines of the candidates, and what the act says of those who were withdrawn.
  return [...acta.candidatas, ...(acta.retiradas ?? [])].flatMap((una) => {
    const quien = una.nombre ?? una.id
    const found = namesOf(una).reduce((sum, name) => sum + countOf(name), 0)
    const lost = namesOf(una).filter((name) => una.id !== undefined && nombres.get(name) !== una.id)
    return [
      ...(found === una.votos
        ? []
        : [`El acta de cierre da a ${quien} ${cuantos(una.votos, 'voto')} y sus papeletas son ${found}.`]),
      ...lost.map((name) => `El acta de cierre cuenta los votos de «${name}» para ${quien}, de quien ya no es.`),
    ]
  })
}
