import { createContext } from 'react-router'
import { displayedEdition, type Edition, type Queen } from '#app/cms/editions/displayed-edition.server.ts'
import { fairDayOf } from '#app/cms/programme.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { sentenceList } from '#app/core/text/sentence-list.ts'
import { datePartsOf, formatTime, isoDateOf } from '#app/core/time/mexico-dates.ts'
import { callToActionAt } from './call-to-action.server.ts'
import { settingsOf } from './data.server.ts'
import { periodStateOf } from './rules.ts'
import type { EditionSettings, Phase } from './schema.ts'

/** Phase that `root.tsx` writes into the document; null while none is known (`Phases.at`), and in pages that are rendered for any hour. */
export const phaseContext = createContext<Phase | null>(null)

/** Decisions so far of an edition's vote and final. */
interface EditionOutcome {
  /** The queen first; empty before the final is public. */
  court: readonly Queen[]
  /** Whether votes wait for their closing record. Until then there is no winner, even if the content names one. */
  hasUnsealedVotes: boolean
}

const NO_OUTCOME: EditionOutcome = { court: [], hasUnsealedVotes: false }

/** Returns the outcome of a year's edition. */
export const outcomeContext = createContext<(year: number) => EditionOutcome>(() => NO_OUTCOME)

/** Returns an edition's phase, from its content, the organisers' settings, its outcome and the hour. */
export function phaseAt(
  { candidatas, popularidad, fechas, feria, anio }: Edition,
  {
    'registro.candidatas': registration,
    'registro.trajes': costumes,
    'votacion.ganadora': proclaimedWinner,
  }: EditionSettings,
  now: Date,
  { court, hasUnsealedVotes } = NO_OUTCOME,
): Phase {
  const [queen] = court
  // A queen who has withdrawn is no longer named.
  const crownedCandidate = candidatas.find(({ id }) => id === queen?.id)
  const winner = (proclaimedWinner ?? (hasUnsealedVotes ? undefined : popularidad.ganadora))?.candidata
  const today = fairDayOf(now)
  const callToAction = callToActionAt(
    {
      hasCandidates: candidatas.length > 0,
      queenTitle: crownedCandidate && queen?.title,
      hasWinner: winner !== undefined,
      voteOpening: fechas.aperturaVotacion,
      voteClosing: fechas.cierreVotacion,
      registration,
      year: anio,
    },
    now,
  )
  const isVoteOver = /^conocer-(reina|ganadora)$/.test(callToAction.que)
  const titles = candidatas.flatMap(({ id }) => {
    const wonTitles = court.filter((member) => member.id === id).map(({ title }) => title)
    if (isVoteOver && id === winner) wonTitles.push('Señorita Popularidad')
    return wonTitles.length > 0 ? [[id, `${sentenceList(wonTitles)} ${anio}`]] : []
  })
  return {
    llamado: callToAction,
    final: finalInWords(new Date(fechas.coronacion), now),
    feria: today < feria.inicia ? 'antes' : today > feria.termina ? 'despues' : 'durante',
    reina: crownedCandidate && { nombre: crownedCandidate.nombre },
    titulos: titles.length > 0 ? Object.fromEntries(titles) : undefined,
    sinRegistros: [registration, costumes].every((period) => periodStateOf(period, now) === 'despues') || undefined,
  }
}

/** Tells when the final is: «Final: sábado 27 de septiembre, 20:00», on its day «hoy», from its beginning «Ahora», later when it was. */
function finalInWords(final: Date, now: Date): string {
  const date = isoDateOf(final)
  const { weekday, day, month } = datePartsOf(date)
  if (isoDateOf(now) > date) return `La final fue el ${weekday} ${day} de ${month}`
  if (now >= final) return 'Ahora: la final'
  return isoDateOf(now) === date
    ? `La final es hoy, ${formatTime(final)}`
    : `Final: ${weekday} ${day} de ${month}, ${formatTime(final)}`
}

/** A running site's phases are known without a wait, since the settings and outcomes that they depend on are read ahead. */
export interface Phases {
  /**
   * Returns the displayed edition's phase at a moment, the same object for equal phases until MAX_CACHED_PHASES empties the cache;
   * undefined while content/ is shown, and before the settings have been read.
   */
  at(now: Date): Phase | undefined
  /** Returns the outcome of a year's edition, as of the last reading. */
  outcomeOf(year: number): EditionOutcome
  /** Reads the settings and the outcomes anew, since another process may have changed them. */
  refresh(): Promise<void>
}

/** Number of phases beyond which the cache is emptied. An edition has some ten phases, and one for each day of the vote. */
const MAX_CACHED_PHASES = 100

interface OutcomeReaders {
  /** Reads the court of each edition whose record is public, by year. */
  readCourts(): Promise<Map<number, readonly Queen[]>>
  /** Reads the years of the editions whose votes wait for their closing record. */
  readUnsealedYears(): Promise<Set<number>>
}

export function createPhases({ db }: Pick<Services, 'db'>, { readCourts, readUnsealedYears }: OutcomeReaders): Phases {
  let courts = new Map<number, readonly Queen[]>()
  let unsealedYears = new Set<number>()
  let rowsByYear: Map<number, { nombre: string; valor: unknown }[]> | undefined
  let latestResult: { edition: Edition; rows: typeof rowsByYear; second: number; phase: Phase } | undefined
  let phaseByJson = new Map<string, Phase>()
  const outcomeOf = (year: number): EditionOutcome => ({
    court: courts.get(year) ?? [],
    hasUnsealedVotes: unsealedYears.has(year),
  })
  return {
    at(now) {
      const displayed = displayedEdition()
      if (!displayed || !rowsByYear) return undefined
      const { edition, documents } = displayed
      const second = Math.floor(now.getTime() / 1_000)
      if (latestResult?.edition === edition && latestResult.rows === rowsByYear && latestResult.second === second)
        return latestResult.phase
      const settings = settingsOf(documents['edicion.yaml'], rowsByYear.get(edition.anio) ?? [])
      const phase = phaseAt(edition, settings, now, outcomeOf(edition.anio))
      const json = JSON.stringify(phase)
      if (phaseByJson.size > MAX_CACHED_PHASES) phaseByJson = new Map()
      const cachedPhase = phaseByJson.get(json) ?? phase
      phaseByJson.set(json, cachedPhase)
      latestResult = { edition, rows: rowsByYear, second, phase: cachedPhase }
      return cachedPhase
    },
    outcomeOf,
    async refresh() {
      const rows = await db.selectFrom('ajustes').select(['edicion', 'nombre', 'valor']).execute()
      courts = await readCourts()
      unsealedYears = await readUnsealedYears()
      rowsByYear = Map.groupBy(rows, ({ edicion }) => edicion)
    },
  }
}
