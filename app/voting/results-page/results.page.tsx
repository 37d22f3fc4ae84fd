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
import { annulVotes, closeVote, openVote, proclaimWinner } from '#app/voting/sealing/mutations.server.ts'
import { recount } from '#app/voting/sealing/recount.server.ts'
import { TALLY_MESSAGES, type TallyAnswer } from '#app/voting/sealing/schema.ts'
import { readSealedRecord } from '#app/voting/sealing/sealed-record.server.ts'
import type { Route } from './+types/results.page'
import { ButtonOutcome, type Outcome } from './button-outcome.tsx'
import { ChainAndRecords } from './chain-and-records.tsx'
import { Charts } from './charts.tsx'
import { Findings } from './flagged-origins.tsx'
import { Proclamation } from './proclamation.tsx'
import styles from './results.module.css'
import { TotalsTable } from './totals-table.tsx'
import { useLiveResults, useReload } from './use-results.ts'

export const handle = { noindex: true, prefetch: false, hasOwnSignOut: true, isResultsScreen: true }

/**
 * Loads the screen (§2.15). If the count cannot be read, the failure is logged (§8) and the screen appears without the count,
 * which it requests again.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const access = await checkLoginWall(request, context, 'resultados')
  if (!access.isOpen) return { loginWall: access.loginWall }
  const { services, facts } = servicesOf(context)
  const { anio, fechas, candidatas } = await loadEdition()
  return {
    loginWall: undefined,
    frame: {
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

/** Returns empty data instead of an error if the server does not answer, so that the open screen stays with what it last read. */
export async function clientLoader({ serverLoader }: Route.ClientLoaderArgs) {
  try {
    return await serverLoader()
  } catch (error) {
    if (error instanceof Response || (isRouteErrorResponse(error) && error.status < 500)) throw error
    return { loginWall: undefined, frame: undefined, counted: undefined }
  }
}

const UNREADABLE_RECORD_MESSAGE = 'El acta de cierre fue cambiada después de sellarse, y ya no se puede leer.'

/** Reads everything that the screen shows of the count. @throws when the database does not answer */
async function readCount(services: Services) {
  const { db, clock } = services
  const election = await loadElection()
  const { edicion, cierre, candidatas } = election
  const { popularidad } = await loadEdition()
  const [
    results,
    hours,
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
  const nameOf = (id: string | undefined) => candidatas.find((one) => one.id === id)?.nombre
  const displayed = settings['votacion.ganadora']
  const setting = storedSettings['votacion.ganadora']
  const record = sealedClosing && parseClosingRecordIfValid(sealedClosing.contenido)
  const shown = await readSealedRecord(services, election)
  return {
    isSealable: maySeal(cierre, clock.now()),
    proclamation: {
      proclaimed: displayed && {
        ...displayed,
        name: nameOf(await resolveProclaimedId(db, displayed.candidata)) ?? displayed.candidata,
      },
      version: setting?.version ?? 0,
      by: setting?.author,
      at: setting?.at.toISOString(),
      /** Name of the winner in the edition's content. */
      contentWinner: nameOf(popularidad.ganadora?.candidata),
    },
    results,
    /** Number of ballots in the content's sample record, if visitors see that record. */
    sampleBallots: shown?.sample && parseClosingRecordIfValid(shown.contenido)?.papeletas,
    hourlyVotes: hours,
    bursts,
    leaps,
    flaggedOrigins,
    rules: (await readRules(db, election)).rules,
    annulments: annulments.map((one) => ({ ...one, at: one.at.toISOString() })),
    recount: lastRecount && { ...lastRecount, at: lastRecount.at.toISOString() },
    opening: opening && { at: opening.at.toISOString(), seal: opening.sello, isByOrganiser: opening.quien !== null },
    closingRecord: sealedClosing && {
      at: sealedClosing.at.toISOString(),
      seal: sealedClosing.sello,
      faults: record?.fallas ?? [UNREADABLE_RECORD_MESSAGE],
      lines: record ? await matchCandidates(db, election, record) : [],
    },
  }
}

/** Values of the buttons that require reauthentication. */
const SENSITIVE_ACTIONS = ['cerrar', 'anular', 'anular-de-otra', 'proclamar', 'retirar']

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
  if (SENSITIVE_ACTIONS.includes(intent)) await requireReauthentication(request, context, session, form)
  const answerWith = (answerText: string, failure?: string) =>
    data({ intent, outcomeText: answerText, failure }, { status: failure ? 400 : 200 })
  const outcome = (tallyAnswer: TallyAnswer, answerText: string) =>
    tallyAnswer.ok ? answerWith(answerText) : answerWith('', TALLY_MESSAGES[tallyAnswer.reason])
  switch (intent) {
    case 'recontar': {
      const { faults } = await recount(services, election)
      return faults.length === 0
        ? answerWith('Recuento hecho: todo coincide.')
        : data({ intent, outcomeText: '', failure: 'Recuento hecho: hay diferencias.' })
    }
    case 'acta-cero':
      if (!form.has('seguro')) return answerWith('', TALLY_MESSAGES.seguro)
      return outcome(await openVote(services, election, actor), 'El acta de cero quedó levantada.')
    case 'cerrar': {
      if (!form.has('seguro')) return answerWith('', TALLY_MESSAGES.seguro)
      const tallyAnswer = await closeVote(services, election, actor)
      // If the record's file cannot be written now, the failure is logged and the next request for the file writes it.
      if (tallyAnswer.ok) await tallyOf(context).recordFiles.publish(tallyAnswer.record)
      return outcome(tallyAnswer, 'El acta de cierre quedó sellada y publicada.')
    }
    case 'anular':
    case 'anular-de-otra': {
      if (!form.has('seguro')) return answerWith('', TALLY_MESSAGES.seguro)
      return outcome(
        await annulVotes(
          services,
          election,
          {
            flagId: Number(text('marca')) || 0,
            reason: text('motivo'),
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
      const displayed =
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
        { winner: displayed, version: Number(text('version')) || 0 },
        actor,
      )
      const name = election.candidatas.find(({ id }) => id === displayed?.candidata)?.nombre
      if (tallyAnswer.ok)
        return answerWith(
          displayed ? `${name} ya está proclamada en Miss Popularidad.` : 'La proclamación quedó retirada.',
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
    <Panel
      frame={loaded.frame}
      counted={loaded.counted}
      reload={reload}
      outcome={actionData && 'outcomeText' in actionData ? actionData : undefined}
    />
  )
}

type Frame = NonNullable<Awaited<ReturnType<typeof loader>>['frame']>
type Counted = Awaited<ReturnType<typeof readCount>>

/** Values of the buttons whose section shows the outcome itself. */
const SECTION_ACTIONS = ['acta-cero', 'recontar', 'cerrar', 'anular', 'anular-de-otra', 'proclamar', 'retirar']

interface PanelProps {
  /** Undefined if no answer came. */
  frame: Frame | undefined
  /** Undefined if the count could not be read. */
  counted: Counted | undefined
  reload: () => void
  outcome: Outcome | undefined
}

function Panel({ outcome, reload, ...loaded }: PanelProps) {
  // What could not be read this time stays as last read.
  const frame = useLastDefined(loaded.frame)
  const counted = useLastDefined(loaded.counted)
  const [results, ageSeconds] = useLiveResults(loaded.counted?.results, reload)
  const candidates = frame?.candidates ?? []
  // The live results may be newer than the loaded ones.
  const isVoteOpen = frame && results ? isBeforeClosing(frame.closing, new Date(results.leidos)) : false
  return (
    <div className={styles.results}>
      <header className={styles.heading}>
        <div>
          <p className={styles.label}>Señorita Popularidad {frame?.year}</p>
          <h1>Resultados</h1>
        </div>
        <div className={styles.exits}>
          <GoButton to="/" look="outline">
            Regresar al inicio
          </GoButton>
          <SignOutButton look="outline" />
        </div>
      </header>
      {outcome && !SECTION_ACTIONS.includes(outcome.intent) && (
        <ButtonOutcome outcome={outcome} intents={[outcome.intent]} />
      )}
      <TotalsTable results={results} candidates={candidates} ageSeconds={isVoteOpen ? ageSeconds : undefined} />
      {counted?.sampleBallots !== undefined && (
        <p>
          Aquí no hay votos. El acta que ven los visitantes es la de la muestra, con{' '}
          {formatThousands(counted.sampleBallots)} papeletas.
        </p>
      )}
      {counted && <Charts hourlyVotes={counted.hourlyVotes} candidates={candidates} />}
      {counted && <Findings {...counted} outcome={outcome} isClosed={counted.closingRecord !== undefined} />}
      {counted && <ChainAndRecords {...counted} isVoteOpen={isVoteOpen} outcome={outcome} />}
      {frame && counted?.closingRecord && (
        <Proclamation {...counted} {...counted.closingRecord} year={frame.year} outcome={outcome} />
      )}
    </div>
  )
}

/** Returns the last value that was not undefined. */
function useLastDefined<Value>(value: Value | undefined): Value | undefined {
  const [last, setLast] = useState(value)
  if (value !== undefined && value !== last) setLast(value)
  return value ?? last
}
