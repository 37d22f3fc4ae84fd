import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { formatLongDateTime, formatTime } from '#app/core/time/mexico-dates.ts'
import {
  listJury,
  loadForOpening,
  readPublishedAt,
  readRecord,
  readUnsignedSheets,
} from '#app/finals/proceedings/data.server.ts'
import { notesOf } from '#app/finals/proceedings/notes.ts'
import {
  advancingCount,
  finalOrder,
  formatPoints,
  orderOf,
  pointsByJudge,
  roundPoints,
  type Tie,
} from '#app/finals/proceedings/scoring.ts'
import {
  activeCandidates,
  type Final,
  judgeOf,
  nameOf,
  numberOf,
  type RoundState,
} from '#app/finals/proceedings/state.ts'

/** Reads all that the notary's table shows: of an open round no scores, only each judge's progress. */
export async function readJudgingTable({ db, keyed, clock }: Pick<Services, 'db' | 'keyed' | 'clock'>) {
  const { edicion, reglas: editionRules, candidatas } = await loadForOpening()
  const record = await readRecord({ db, keyed }, edicion)
  const { final, annulments } = record.state
  const rules = final?.rules ?? editionRules
  const publishedAt = await readPublishedAt(db, edicion)
  const jury = await listJury(db, edicion, Math.max(rules.jueces, editionRules.jueces), clock.now())
  const displayedEdition = await loadEdition()
  const published = new Set(displayedEdition.candidatas.map(({ id }) => id))
  const opened = final?.rounds.find(({ closing }) => !closing)
  const unsignedSheets = opened && (await readUnsignedSheets(db, edicion, opened.number))
  return {
    edicion,
    certamen: displayedEdition.nombre,
    alterado: record.firstAltered ?? null,
    reglas: rules,
    candidatas: candidatas.map(({ numero, nombre }) => ({ numero, nombre })),
    jurado: jury.map(({ cuenta, desde, ...judge }) => ({ ...judge, desde: desde && formatTime(desde) })),
    anuladas: annulments.map(({ motivo, levantada }) => ({ motivo, a: formatLongDateTime(new Date(levantada)) })),
    final: final && {
      abierta: formatLongDateTime(new Date(final.opening.levantada)),
      rondas: final.rounds.map((ronda) =>
        ronda.closing ? describeClosedRound(final, ronda) : describeOpenRound(final, ronda, unsignedSheets),
      ),
      notas: notesOf(record.state),
      candidatas: final.opening.candidatas
        .filter(({ id }) => !final.withdrawn.has(id))
        .map(({ id, numero, nombre }) => ({ id, numero, nombre })),
      /** `ausentes` names candidates who are no longer on the site and still in the final. */
      ausentes: final.opening.candidatas
        .filter(({ id }) => !published.has(id) && !final.withdrawn.has(id))
        .map(({ nombre }) => nombre),
      cierre: final.closing
        ? {
            orden: finalOrderRows(final),
            sello: record.seal,
            levantada: formatLongDateTime(new Date(final.closing.levantada)),
          }
        : null,
      provisional: final.rounds.length === rules.rondas.length && !opened ? finalOrderRows(final) : null,
    },
    publica: publishedAt ? formatLongDateTime(publishedAt) : null,
  }
}

export type JudgingTable = Awaited<ReturnType<typeof readJudgingTable>>

/** Returns the final ranking, with names and formatted points. */
export const finalOrderRows = (final: Final) =>
  (final.closing?.orden ?? finalOrder(final)).map(({ lugar, candidata, ronda, total, titulo }) => ({
    ...{ lugar, id: candidata, numero: numberOf(final, candidata), nombre: nameOf(final, candidata) },
    ...{ puntos: formatPoints(total), titulo: titulo ?? null, ronda: final.rules.rondas[ronda - 1]!.nombre },
  }))

function describeOpenRound(
  final: Final,
  ronda: RoundState,
  unsignedSheets: Awaited<ReturnType<typeof readUnsignedSheets>> | undefined,
) {
  const rules = final.rules.rondas[ronda.number - 1]!
  const present = activeCandidates(final, ronda)
  const all = present.length * rules.criterios.length
  return {
    ...{ numero: ronda.number, nombre: rules.nombre, estado: 'open' as const, candidatas: present.length },
    desde: formatTime(new Date(ronda.openedAt)),
    hojas: final.opening.jurado.map(({ numero: judge }) => {
      const signed = ronda.sheets.get(judge)
      const written = unsignedSheets?.get(judge)?.calificaciones ?? {}
      const done = present.reduce((sum, id) => sum + (written[id] ?? []).filter((mark) => mark !== null).length, 0)
      return {
        ...{ juez: judge, quien: judgeOf(final, judge) },
        firmada: signed ? formatTime(new Date(signed.levantada)) : null,
        avance: signed ? 100 : Math.floor((done * 100) / all),
      }
    }),
  }
}

/** Returns a closed round as the notary's table and the published record show it. */
export function describeClosedRound(final: Final, ronda: RoundState) {
  const { nombre, desdeCero } = final.rules.rondas[ronda.number - 1]!
  const { orden, empates } = orderOf(final, ronda)
  const next = final.rounds.find(({ number }) => number === ronda.number + 1)
  const isLast = ronda.number === final.rules.rondas.length
  const judges = [...ronda.sheets.keys()].sort((one, other) => one - other)
  return {
    ...{ numero: ronda.number, nombre, desdeCero, estado: 'closed' as const },
    jueces: judges.map((judge) => judgeOf(final, judge)),
    filas: orden.map(({ candidata, total }, at) => ({
      ...{ lugar: at + 1, id: candidata, numero: numberOf(final, candidata), nombre: nameOf(final, candidata) },
      porJuez: pointsByJudge(final, ronda, candidata).map(({ points, isDropped }) => ({
        puntos: formatPoints(points),
        fuera: isDropped,
      })),
      ...{ ronda: formatPoints(roundPoints(final, ronda, candidata)), total: formatPoints(total) },
      pasa: isLast ? null : next ? next.candidateIds.includes(candidata) : at < advancingCount(final, ronda),
    })),
    empates: empates.map((tie) => describeTie(final, tie)),
    sin: (ronda.closing?.sin ?? []).map(({ juez, motivo }) => ({ quien: judgeOf(final, juez), motivo })),
  }
}

/** Writes a Spanish sentence that says how a tie was broken. */
function describeTie(final: Final, { antes, despues, total, por }: Tie): string {
  const [first, another] = [nameOf(final, antes), nameOf(final, despues)]
  const tie = `${first} y ${another} empatan con ${formatPoints(total)} puntos.`
  if (por.que === 'lot') return `${tie} Nada de la regla las distingue: va antes ${first} por el sorteo del acta.`
  const where = por.criterio === undefined ? `en la ronda «${por.ronda}»` : `en «${por.criterio}» de «${por.ronda}»`
  const said = por.criterio === undefined ? formatPoints : (tenths: number) => String(tenths / 10)
  return `${tie} Va antes ${first}: ${where} tuvo ${said(por.uno)}, y ${another} ${said(por.otro)}.`
}
