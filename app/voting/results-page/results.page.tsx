import { useState } from 'react'
import { data, isRouteErrorResponse } from 'react-router'
import { accountsOf } from '#app/accounts/guards.server.ts'
import { ReauthenticationBoundary } from '#app/accounts/reauthentication/prompt.tsx'
import { useSessionMark } from '#app/accounts/sessions/browser-signals.ts'
import { SignOutButton } from '#app/accounts/sessions/sign-out-button.tsx'
import {
  checkLoginWall,
  loginWallAction,
  requireOrganiser,
  requireReauthentication,
} from '#app/accounts/sign-in/login-wall.server.ts'
import { LoginWall } from '#app/accounts/sign-in/login-wall.tsx'
import { signInOrRefusal } from '#app/accounts/sign-in/refusal.ts'
import { listSettings, readEditionSettings } from '#app/cms/edition-settings/data.server.ts'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { type Services, servicesOf } from '#app/core/http/services.server.ts'
import { formatThousands } from '#app/core/text/thousands-separator.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { GoButton } from '#app/ui/components/go-button.tsx'
import { loadElection, readRules, resolveProclaimedId } from '#app/voting/election/data.server.ts'
import { isBeforeClosing } from '#app/voting/election/rules.ts'
import { maySeal } from '#app/voting/election/tally-rules.ts'
import { parseClosingRecordIfValid } from '#app/voting/record/schema.ts'
import {
  listAnnulments,
  listBursts,
  listFlaggedOrigins,
  listLeaps,
  matchCandidates,
  readHourlyVotes,
  readRecord,
  readRecount,
  readResults,
} from '#app/voting/sealing/data.server.ts'
import { tallyOf } from '#app/voting/sealing/guards.server.ts'
import { annulVotes, closeVote, drawUpOpeningRecord, proclaimWinner } from '#app/voting/sealing/mutations.server.ts'
import { recount } from '#app/voting/sealing/recount.server.ts'
import { TALLY_MESSAGES, type TallyAnswer } from '#app/voting/sealing/schema.ts'
import { readSealedRecord } from '#app/voting/sealing/sealed-record.server.ts'
import type { Route } from './+types/results.page'
import { ButtonOutcome, type IntentOutcome } from './button-outcome.tsx'
import { ChainAndRecords } from './chain-and-records.tsx'
import { Charts } from './charts.tsx'
import { Findings } from './flagged-origins.tsx'
import { Proclamation } from './proclamation.tsx'
import styles from './results.module.css'
import { TotalsTable } from './totals-table.tsx'
import { useLiveResults, useReload } from './use-results.ts'

export const handle = { noindex: true, prefetch: false, hasOwnSignOut: true, isResultsScreen: true }

/**
 * Loads the screen (§2.15). If the count cannot be read, logs the failure (§8) and loads the screen without the count, which it
 * then requests again.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const access = await checkLoginWall(request, context, 'resultados')
  if (!access.isOpen) return { loginWall: access.loginWall }
  const { services, facts } = servicesOf(context)
  const { anio, fechas, candidatas } = await loadEdition()
  return {
    loginWall: undefined,
    edition: {
      year: anio,
      closing: fechas.cierreVotacion,
      candidates: candidatas.map(({ id, nombre, tono, galeria }) => ({
        id,
        name: nombre,
        tone: tono,
        portrait: galeria[0]!,
      })),
    },
    counted: await readCount(services).catch((error: unknown) => {
      services.log.error({ id: facts.id, err: error }, 'the votes could not be read')
      return undefined
    }),
  }
}

/**
 * Returns empty data instead of an error if the server does not answer or fails (5xx), so that the open screen keeps its last
 * data.
 */
export async function clientLoader({ serverLoader }: Route.ClientLoaderArgs) {
  try {
    return await serverLoader()
  } catch (error) {
    if (error instanceof Response || (isRouteErrorResponse(error) && error.status < 500)) throw error
    return { loginWall: undefined, edition: undefined, counted: undefined }
  }
}

const UNREADABLE_RECORD_MESSAGE = 'El acta de cierre fue cambiada después de sellarse, y ya no se puede leer.'

/** Reads the count and everything else that the screen shows of the vote. @throws if a part of it cannot be read */
async function readCount(services: Services) {
  const { db, clock } = services
  const election = await loadElection()
  const { edicion, cierre, candidatas } = election
  const { popularidad } = await loadEdition()
  const [
    results,
    hourlyVotes,
    bursts,
    leaps,
    flaggedOrigins,
    annulments,
    lastRecount,
    opening,
    sealedClosing,
    settings,
    storedSettings,
  ] = await Promise.all([
    readResults(services, election),
    readHourlyVotes(db, election),
    listBursts(db, edicion),
    listLeaps(db, edicion),
    listFlaggedOrigins(db, election),
    listAnnulments(db, edicion),
    readRecount(db, edicion),
    readRecord(db, edicion, 'apertura'),
    readRecord(db, edicion, 'cierre'),
    readEditionSettings(db),
    listSettings(db, edicion),
  ])
  const nameOf = (id: string | undefined) => candidatas.find((candidate) => candidate.id === id)?.nombre
  const proclaimed = settings['votacion.ganadora']
  const proclamationSetting = storedSettings['votacion.ganadora']
  const record = sealedClosing && parseClosingRecordIfValid(sealedClosing.contenido)
  const visibleRecord = await readSealedRecord(services, election)
  return {
    isSealable: maySeal(cierre, clock.now()),
    proclamation: {
      proclaimed: proclaimed && {
        ...proclaimed,
        name: nameOf(await resolveProclaimedId(db, proclaimed.candidata)) ?? proclaimed.candidata,
      },
      version: proclamationSetting?.version ?? 0,
      by: proclamationSetting?.author,
      at: proclamationSetting?.at.toISOString(),
      contentWinner: nameOf(popularidad.ganadora?.candidata),
    },
    results,
    /** Number of ballots in the content's sample record, if visitors see that record. */
    sampleBallots: visibleRecord?.sample && parseClosingRecordIfValid(visibleRecord.contenido)?.papeletas,
    hourlyVotes,
    bursts,
    leaps,
    flaggedOrigins,
    rules: (await readRules(db, election)).rules,
    annulments: annulments.map((annulment) => ({ ...annulment, at: annulment.at.toISOString() })),
    recount: lastRecount && { ...lastRecount, at: lastRecount.at.toISOString() },
    opening: opening && { at: opening.at.toISOString(), seal: opening.sello, isByOrganiser: opening.quien !== null },
    closingRecord: sealedClosing && {
      at: sealedClosing.at.toISOString(),
      seal: sealedClosing.sello,
      faults: record?.fallas ?? [UNREADABLE_RECORD_MESSAGE],
      recordCandidates: record ? await matchCandidates(db, election, record) : [],
    },
  }
}

/** Values of the buttons that require reauthentication. */
const SENSITIVE_INTENTS = ['cerrar', 'anular', 'anular-de-otra', 'proclamar', 'retirar']

export async function action({ request, context }: Route.ActionArgs) {
  const answer = await loginWallAction(request, context)
  if (answer) return answer
  const form = await request.clone().formData()
  const text = (name: string) => typedText(String(form.get(name) ?? '')).slice(0, 2_000)
  const intent = text('hacer')
  const session = await requireOrganiser(request, context, intent === 'recontar' ? 'resultados' : 'votos')
  const { services, facts } = servicesOf(context)
  const election = await loadElection()
  const actor = { quien: session.userId, desde: accountsOf(context).traceOf(facts.client) }
  if (SENSITIVE_INTENTS.includes(intent)) await requireReauthentication(request, context, session, form)
  const answerWith = (successText: string, failure?: string) =>
    data({ intent, successText, failure }, { status: failure ? 400 : 200 })
  const answerWithResult = (tallyAnswer: TallyAnswer, successText: string) =>
    tallyAnswer.ok ? answerWith(successText) : answerWith('', TALLY_MESSAGES[tallyAnswer.reason])
  switch (intent) {
    case 'recontar': {
      const { faults } = await recount(services, election)
      return faults.length === 0
        ? answerWith('Recuento hecho: todo coincide.')
        : data({ intent, successText: '', failure: 'Recuento hecho: hay diferencias.' })
    }
    case 'acta-cero':
      if (!form.has('seguro')) return answerWith('', TALLY_MESSAGES.seguro)
      return answerWithResult(await drawUpOpeningRecord(services, election, actor), 'El acta de cero quedó levantada.')
    case 'cerrar': {
      if (!form.has('seguro')) return answerWith('', TALLY_MESSAGES.seguro)
      const tallyAnswer = await closeVote(services, election, actor)
      // If the record's file cannot be written now, the failure is logged and a later request for the file writes it.
      if (tallyAnswer.ok) await tallyOf(context).recordFiles.publish(tallyAnswer.record)
      return answerWithResult(tallyAnswer, 'El acta de cierre quedó sellada y publicada.')
    }
    case 'anular':
    case 'anular-de-otra': {
      if (!form.has('seguro')) return answerWith('', TALLY_MESSAGES.seguro)
      return answerWithResult(
        await annulVotes(
          services,
          election,
          {
            flagId: Number(text('marca')) || 0,
            statedReason: text('motivo'),
            onlyWithOtherFlag: intent === 'anular-de-otra',
          },
          actor,
        ),
        'Los votos quedaron anulados.',
      )
    }
    case 'proclamar':
    case 'retirar': {
      const optionalText = (name: string) => text(name).trim().replace(/\s+/g, ' ') || undefined
      const winner =
        intent === 'retirar'
          ? undefined
          : {
              candidata: text('candidata'),
              nombreCorto: optionalText('nombreCorto'),
              mensaje: optionalText('mensaje'),
              facebook: optionalText('facebook'),
              instagram: optionalText('instagram'),
            }
      const tallyAnswer = await proclaimWinner(
        services,
        election,
        { winner, version: Number(text('version')) || 0 },
        actor,
      )
      const name = election.candidatas.find(({ id }) => id === winner?.candidata)?.nombre
      if (tallyAnswer.ok)
        return answerWith(
          winner ? `${name} ya está proclamada en Miss Popularidad.` : 'La proclamación quedó retirada.',
        )
      if (tallyAnswer.reason === 'version')
        return answerWith(
          '',
          `Mientras tanto ${tallyAnswer.author ?? 'otra persona'} cambió la proclamación. Revísala y vuelve a intentarlo.`,
        )
      return answerWith('', tallyAnswer.reason === 'valor' ? tallyAnswer.message : TALLY_MESSAGES[tallyAnswer.reason])
    }
    default:
      return answerWith('', 'Ese botón ya no está. Recarga la página.')
  }
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  signInOrRefusal(request, serverAction)

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Resultados de la votación' }, args)

export const ErrorBoundary = () => (
  <div className={styles.results}>
    <ReauthenticationBoundary />
  </div>
)

export default function ResultsPage({ loaderData, actionData }: Route.ComponentProps) {
  const { loaded, reload } = useReload(loaderData)
  useSessionMark(loaded.loginWall === undefined)
  if (loaded.loginWall)
    return (
      <LoginWall
        loginWall={loaded.loginWall}
        title="Resultados"
        refusal={actionData && 'message' in actionData ? actionData : undefined}
      />
    )
  return (
    <ResultsScreen
      edition={loaded.edition}
      counted={loaded.counted}
      reload={reload}
      outcome={actionData && 'successText' in actionData ? actionData : undefined}
    />
  )
}

type EditionData = NonNullable<Awaited<ReturnType<typeof loader>>['edition']>
type Counted = Awaited<ReturnType<typeof readCount>>

/** Values of the buttons whose section shows the outcome itself. */
const SECTION_INTENTS = ['acta-cero', 'recontar', 'cerrar', 'anular', 'anular-de-otra', 'proclamar', 'retirar']

interface ResultsScreenProps {
  /** The edition; undefined if the server did not answer or failed. */
  edition: EditionData | undefined
  /** The count; undefined if it could not be read. */
  counted: Counted | undefined
  reload: () => void
  outcome: IntentOutcome | undefined
}

function ResultsScreen({ outcome, reload, ...loaded }: ResultsScreenProps) {
  // Data that could not be read this time stay as they were last read.
  const edition = useLastDefined(loaded.edition)
  const tally = useLastDefined(loaded.counted)
  const [results, ageSeconds] = useLiveResults(loaded.counted?.results, reload)
  const candidates = edition?.candidates ?? []
  // The moment is that of the live results, which may be newer than the loaded results.
  const isVoteOpen = edition && results ? isBeforeClosing(edition.closing, new Date(results.leidos)) : false
  return (
    <div className={styles.results}>
      <header className={styles.heading}>
        <div>
          <p className={styles.label}>Señorita Popularidad {edition?.year}</p>
          <h1>Resultados</h1>
        </div>
        <div className={styles.headingButtons}>
          <GoButton to="/" look="outline">
            Regresar al inicio
          </GoButton>
          <SignOutButton look="outline" />
        </div>
      </header>
      {outcome && !SECTION_INTENTS.includes(outcome.intent) && (
        <ButtonOutcome outcome={outcome} intents={[outcome.intent]} />
      )}
      <TotalsTable results={results} candidates={candidates} ageSeconds={isVoteOpen ? ageSeconds : undefined} />
      {tally?.sampleBallots !== undefined && (
        <p>
          Aquí no hay votos. El acta que ven los visitantes es la de la muestra, con{' '}
          {formatThousands(tally.sampleBallots)} papeletas.
        </p>
      )}
      {tally && <Charts hourlyVotes={tally.hourlyVotes} candidates={candidates} />}
      {tally && <Findings {...tally} outcome={outcome} isClosed={tally.closingRecord !== undefined} />}
      {tally && <ChainAndRecords {...tally} isVoteOpen={isVoteOpen} outcome={outcome} />}
      {edition && tally?.closingRecord && (
        <Proclamation {...tally} {...tally.closingRecord} year={edition.year} outcome={outcome} />
      )}
    </div>
  )
}

function useLastDefined<Value>(value: Value | undefined): Value | undefined {
  const [lastValue, setLastValue] = useState(value)
  if (value !== undefined && value !== lastValue) setLastValue(value)
  return value ?? lastValue
}
