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
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { listSettings, readSettings } from '#app/cms/settings/data.server.ts'
import { type Services, servicesOf } from '#app/core/http/services.server.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { Ir } from '#app/ui/primitives/go-button.tsx'
import { loadElection, proclaimedId, readRules } from '#app/voting/election/data.server.ts'
import { isNotClosed } from '#app/voting/election/rules.ts'
import { maySeal } from '#app/voting/election/tally-rules.ts'
import { readClosingRecordIfAny } from '#app/voting/record/schema.ts'
import {
  listAnnulments,
  listBursts,
  listFlaggedOrigins,
  listLeaps,
  readHourlyVotes,
  readRecord,
  readRecount,
  readResults,
  whoIsWho,
} from '#app/voting/tally/data.server.ts'
import { tallyOf } from '#app/voting/tally/guards.server.ts'
import { annulVotes, closeVote, openVote, proclaimWinner } from '#app/voting/tally/mutations.server.ts'
import { recount } from '#app/voting/tally/recount.server.ts'
import { TALLY_MESSAGES, type TallyAnswer } from '#app/voting/tally/schema.ts'
import type { Route } from './+types/results.page'
import { Bursts } from './bursts.tsx'
import { ButtonOutcome, type Outcome } from './button-outcome.tsx'
import { ChainAndRecords } from './chain-and-records.tsx'
import { Charts } from './charts.tsx'
import { Origins } from './flagged-origins.tsx'
import { Proclamation } from './proclamation.tsx'
import styles from './results.module.css'
import { Tabla } from './totals-table.tsx'
import { useReload, useVivo } from './use-results.ts'

export const handle = { noindex: true, prefetch: false, sesion: true, resultados: true }

/**
 * A failure to read the count is only logged (§8): the screen stands without the count, and asks again.
 * @source §2.15
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const entrance = await checkLoginWall(request, context, 'resultados')
  if (!entrance.abierta) return { puerta: entrance.puerta }
  const { services, facts } = servicesOf(context)
  const { anio, fechas, candidatas } = await loadEdition()
  return {
    puerta: undefined,
    marco: {
      anio,
      cierre: fechas.cierreVotacion,
      candidatas: candidatas.map(({ id, nombre, tono, galeria }) => ({ id, nombre, tono, retrato: galeria[0]! })),
    },
    contado: await readCount(services).catch((error: unknown) => {
      services.log.error({ id: facts.id, err: error }, 'the votes could not be read')
      return undefined
    }),
  }
}

/** After hydration the screen also survives a lost connection and a server that does not answer. */
export async function clientLoader({ serverLoader }: Route.ClientLoaderArgs) {
  try {
    return await serverLoader()
  } catch (error) {
    if (error instanceof Response || (isRouteErrorResponse(error) && error.status < 500)) throw error
    return { puerta: undefined, marco: undefined, contado: undefined }
  }
}

const UNREADABLE_RECORD = 'El acta de cierre fue cambiada después de sellarse, y ya no se puede leer.'

/** Reads everything that the screen shows of the count. @throws when the database does not answer */
async function readCount(services: Services) {
  const { db, clock } = services
  const election = await loadElection()
  const { edicion, cierre, candidatas } = election
  const { popularidad } = await loadEdition()
  const [results, hours, bursts, leaps, flaggedOrigins, annulments, recuento, opening, sealed, settings, stored] =
    await Promise.all([
      readResults(services, election),
      readHourlyVotes(db, election),
      listBursts(db, edicion),
      listLeaps(db, edicion),
      listFlaggedOrigins(db, election),
      listAnnulments(db, edicion),
      readRecount(db, edicion),
      readRecord(db, edicion, 'apertura'),
      readRecord(db, edicion, 'cierre'),
      readSettings(db),
      listSettings(db, edicion),
    ])
  const nameOf = (id: string | undefined) => candidatas.find((una) => una.id === id)?.nombre
  const displayed = settings['votacion.ganadora']
  const setting = stored['votacion.ganadora']
  const record = sealed && readClosingRecordIfAny(sealed.contenido)
  return {
    sellable: maySeal(cierre, clock.now()),
    proclamacion: {
      puesta: displayed && {
        ...displayed,
        nombre: nameOf(await proclaimedId(db, displayed.candidata)) ?? displayed.candidata,
      },
      version: setting?.version ?? 0,
      quien: setting?.quien,
      at: setting?.at.toISOString(),
      /** Name of the winner in the edition's content. */
      escrita: nameOf(popularidad.ganadora?.candidata),
    },
    resultados: results,
    horas: hours,
    rafagas: bursts,
    leaps,
    marcados: flaggedOrigins,
    reglas: (await readRules(db, election)).reglas,
    anulaciones: annulments.map((one) => ({ ...one, at: one.at.toISOString() })),
    recuento: recuento && { ...recuento, at: recuento.at.toISOString() },
    apertura: opening && { at: opening.at.toISOString(), sello: opening.sello, propia: opening.quien !== null },
    acta: sealed && {
      at: sealed.at.toISOString(),
      sello: sealed.sello,
      fallas: record?.fallas ?? [UNREADABLE_RECORD],
      contadas: record ? await whoIsWho(db, election, record) : [],
    },
  }
}

/** Buttons that require the password again. */
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
  const say = (said: string, falla?: string) =>
    data({ hacer: intent, hecho: said, falla }, { status: falla ? 400 : 200 })
  const outcome = (done: TallyAnswer, said: string) => (done.ok ? say(said) : say('', TALLY_MESSAGES[done.reason]))
  switch (intent) {
    case 'recontar': {
      const { fallas } = await recount(services, election)
      return fallas.length === 0
        ? say('Recuento hecho: todo coincide.')
        : data({ hacer: intent, hecho: '', falla: 'Recuento hecho: hay diferencias.' })
    }
    case 'acta-cero':
      return outcome(await openVote(services, election, actor), 'El acta de cero quedó levantada.')
    case 'cerrar': {
      if (!form.has('seguro')) return say('', TALLY_MESSAGES.seguro)
      const done = await closeVote(services, election, actor)
      // A failure to write the record's file is logged; the next request for the file makes it.
      if (done.ok) await tallyOf(context).actas.publish(done.acta)
      return outcome(done, 'El acta de cierre quedó sellada y publicada.')
    }
    case 'anular':
    case 'anular-de-otra': {
      if (!form.has('seguro')) return say('', TALLY_MESSAGES.seguro)
      return outcome(
        await annulVotes(
          services,
          election,
          { marca: Number(text('marca')) || 0, motivo: text('motivo'), spare: intent === 'anular-de-otra' },
          actor,
        ),
        'Los votos quedaron anulados.',
      )
    }
    case 'proclamar':
    case 'retirar': {
      const given = (name: string) => text(name).trim().replace(/\s+/g, ' ') || undefined
      const displayed =
        intent === 'retirar'
          ? undefined
          : {
              candidata: text('candidata'),
              nombreCorto: given('nombreCorto'),
              mensaje: given('mensaje'),
              facebook: given('facebook'),
              instagram: given('instagram'),
            }
      const done = await proclaimWinner(
        services,
        election,
        { puesta: displayed, version: Number(text('version')) || 0 },
        actor,
      )
      const name = election.candidatas.find(({ id }) => id === displayed?.candidata)?.nombre
      if (done.ok)
        return say(displayed ? `${name} ya está proclamada en Miss Popularidad.` : 'La proclamación quedó retirada.')
      if (done.reason === 'version')
        return say(
          '',
          `Mientras tanto ${done.quien ?? 'otra persona'} cambió la proclamación. Revísala y vuelve a intentarlo.`,
        )
      return say('', done.reason === 'valor' ? done.message : TALLY_MESSAGES[done.reason])
    }
    default:
      return say('', 'Ese botón ya no está. Recarga la página.')
  }
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  signInOrRefusal(request, serverAction)

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders

export const meta: Route.MetaFunction = (args) => pageMeta({ pantalla: 'Resultados de la votación' }, args)

export const ErrorBoundary = () => (
  <div className={styles.resultados}>
    <ReauthenticationBoundary />
  </div>
)

export default function ResultadosDeLaVotacion({ loaderData, actionData }: Route.ComponentProps) {
  const { cargado, recarga } = useReload(loaderData)
  useSessionMark(cargado.puerta === undefined)
  if (cargado.puerta)
    return (
      <LoginWall
        puerta={cargado.puerta}
        titulo="Resultados"
        rechazo={actionData && 'mensaje' in actionData ? actionData : undefined}
      />
    )
  return (
    <Panel
      marco={cargado.marco}
      contado={cargado.contado}
      recarga={recarga}
      dicho={actionData && 'hecho' in actionData ? actionData : undefined}
    />
  )
}

type Frame = NonNullable<Awaited<ReturnType<typeof loader>>['marco']>
type Counted = Awaited<ReturnType<typeof readCount>>

/** Buttons of the sections below, each of which shows its own outcome. */
const SECTION_ACTIONS = ['acta-cero', 'recontar', 'cerrar', 'anular', 'anular-de-otra', 'proclamar', 'retirar']

interface PanelProps {
  /** Undefined: no answer came. */
  marco: Frame | undefined
  /** Undefined: the count could not be read. */
  contado: Counted | undefined
  recarga: () => void
  dicho: Outcome | undefined
}

function Panel({ dicho, recarga, ...cargado }: PanelProps) {
  // A part that cannot be read now stays as last read.
  const frame = useUltimo(cargado.marco)
  const counted = useUltimo(cargado.contado)
  const [results, vivo] = useVivo(cargado.contado?.resultados, recarga)
  const candidates = frame?.candidatas ?? []
  // The live results may be newer than the loaded ones.
  const opened = frame && results ? isNotClosed(frame.cierre, new Date(results.leidos)) : false
  return (
    <div className={styles.resultados}>
      <header className={styles.cabeza}>
        <div>
          <p className={styles.rotulo}>Señorita Popularidad {frame?.anio}</p>
          <h1>Resultados</h1>
        </div>
        <div className={styles.salidas}>
          <Ir a="/" look="outline">
            Regresar al inicio
          </Ir>
          <SignOutButton look="outline" />
        </div>
      </header>
      {dicho && !SECTION_ACTIONS.includes(dicho.hacer) && <ButtonOutcome dicho={dicho} de={[dicho.hacer]} />}
      <Tabla resultados={results} candidatas={candidates} vivo={opened ? vivo : undefined} />
      {counted && <Charts horas={counted.horas} candidatas={candidates} />}
      {counted && <Origins {...counted} dicho={dicho} cerrada={counted.acta !== undefined} />}
      {counted && <Bursts {...counted} />}
      {counted && <ChainAndRecords {...counted} abierta={opened} dicho={dicho} />}
      {frame && counted?.acta && <Proclamation {...counted} {...counted.acta} anio={frame.anio} dicho={dicho} />}
    </div>
  )
}

/** The last value that was not undefined. */
function useUltimo<Value>(value: Value | undefined): Value | undefined {
  const [last, setLast] = useState(value)
  if (value !== undefined && value !== last) setLast(value)
  return value ?? last
}
