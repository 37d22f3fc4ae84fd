import { useEffect, useState } from 'react'
import { data } from 'react-router'
import { actorOf } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { checkLoginWall, requireOrganiser, requireReauthentication } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { type Services, servicesOf } from '#app/core/http/services.server.ts'
import { qrCodeOf } from '#app/core/text/qr-code.server.ts'
import { DISK_FULL_MESSAGE, DISK_FULL_STATUS, withDiskFullRefusal } from '#app/core/uploads/disk-space.server.ts'
import type { RecordEntryResult } from '#app/finals/record/append-record-entry.server.ts'
import { loadForOpening, readFinalRecord } from '#app/finals/record/data.server.ts'
import { makeJudgeLink, revokePhone, saveJudgeNames } from '#app/finals/record/judge-links.server.ts'
import {
  annulFinal,
  closeRound,
  openFinal,
  openRound,
  reopenSheet,
  sealFinalRecord,
  setRecordPublic,
  withdrawFromFinal,
} from '#app/finals/record/mutations.server.ts'
import { RECORD_REFUSAL_MESSAGES } from '#app/finals/record/record-entry-rules.ts'
import { REHEARSAL_REASON } from '#app/finals/record/record-notes.ts'
import type { JudgeLink } from '#app/finals/record/schema.ts'
import { Banner } from '#app/ui/components/banner.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import type { Route } from './+types/judging-table.page'
import { CrownTie } from './crown-tie.tsx'
import { readJudgingTable } from './data.server.ts'
import { FinalRanking } from './final-ranking.tsx'
import styles from './judging-table.module.css'
import { JurySection } from './jury-section.tsx'
import { PrepareOpening, RulesEditorLink } from './prepare-opening.tsx'
import { Rounds } from './rounds.tsx'
import { useAutoRefresh } from './use-auto-refresh.ts'

export async function loader({ request, context }: Route.LoaderArgs) {
  const access = await checkLoginWall(request, context, 'final')
  // The panel's shell shows the login wall instead of this screen.
  if (!access.isOpen) return null
  const judgingTable = await readJudgingTable(servicesOf(context).services)
  return { ...judgingTable, mayEditRules: may(access.session.role, 'sitio') }
}

const ALTERED_RECORD_MESSAGE =
  'El acta de la final ya no es la que el sitio selló: alguien la cambió en la base de datos. No se le agrega nada. Avisa a quien cuida el servidor.'

/** Intents that need reauthentication, in case the session is unattended. A link is among them, since it lets its holder score. */
const INTENTS_WITH_PASSWORD = [
  'enlace',
  'enlaces',
  'abrir',
  'reabrir',
  'retirar',
  'anular',
  'anular-ensayo',
  'sellar',
  'publicar',
  'ocultar',
]

/** Intents that seal or annul something for good, or publish it, so that their forms have a box to tick first. */
const CONFIRMED_INTENTS = ['abrir', 'sellar', 'publicar', 'anular', 'anular-ensayo']
const CONFIRMATION_MESSAGE = 'Marca la casilla que dice qué ya no se podrá cambiar, y repítelo.'

export async function action({ request, context }: Route.ActionArgs) {
  const session = await requireOrganiser(request, context, 'final')
  const { services } = servicesOf(context)
  const form = await request.formData()
  const text = (name: string) => String(form.get(name) ?? '')
  // The jury has one form for all judges, so a button's value may be an intent and the judge's number.
  const [intent = '', judgeText = text('juez')] = text('hacer').split(' ')
  const [roundNumber, judge] = [Number(text('ronda')) || 0, Number(judgeText) || 0]
  // The names are saved before the password is asked for or the form is refused, so that none has to be typed again.
  await withDiskFullRefusal(services, () => saveJudgeNames(services, readJudgeNames(form)))
  if (CONFIRMED_INTENTS.includes(intent) && !form.has('seguro'))
    return data(
      {
        ok: false as const,
        message:
          intent === 'publicar' ? 'Marca la casilla si ya se dijo en la plaza, y repítelo.' : CONFIRMATION_MESSAGE,
        intent,
        judge,
        typedReason: text('motivo'),
        links: undefined,
      },
      { status: 422 },
    )
  // A sheet that is missing when its round closes can never be added, so closing then needs reauthentication.
  const hasMissingSheets = intent === 'cerrar-ronda' && readMissingSheetReasons(form).size > 0
  if (hasMissingSheets || INTENTS_WITH_PASSWORD.includes(intent))
    await requireReauthentication(request, context, session, form)
  const actor = { ...actorOf(context, session), quien: session.userId }
  const { edition } = await loadForOpening()
  const typedReason = text('motivo')
  const respondRefused = (message: string, status = 422) =>
    data({ ok: false as const, message, intent, judge, typedReason, links: undefined }, { status })
  const succeed = (message: string, links?: JudgeLink[]) => ({
    ok: true as const,
    message,
    links,
    intent,
    judge: 0,
    typedReason: '',
  })
  const recordSteps: Record<string, { run(): Promise<RecordEntryResult>; message: string }> = {
    abrir: { run: () => openFinal(services, actor), message: 'La final está abierta, y sus reglas quedaron selladas.' },
    'abrir-ronda': {
      run: () => openRound(services, edition, roundNumber, actor),
      message: 'Ronda abierta: ya aparece en los teléfonos del jurado.',
    },
    'cerrar-ronda': {
      run: () => closeRound(services, edition, roundNumber, readMissingSheetReasons(form), actor),
      message: 'Ronda cerrada. Abajo está el orden.',
    },
    reabrir: {
      run: () => reopenSheet(services, edition, { roundNumber, judgeNumber: judge, typedReason }, actor),
      message: `La hoja quedó reabierta: el juez la corrige en su teléfono y la firma de nuevo.`,
    },
    retirar: {
      run: () => withdrawFromFinal(services, edition, { candidateId: text('candidata'), typedReason }, actor),
      message: 'Queda fuera de la final, y el acta dice por qué.',
    },
    anular: {
      run: () => annulFinal(services, edition, typedReason, actor),
      message: 'Lo que iba quedó anulado. Puedes abrir la final de nuevo.',
    },
    'anular-ensayo': {
      run: () => annulFinal(services, edition, REHEARSAL_REASON, actor),
      message: 'El ensayo quedó anulado. Puedes abrir la final.',
    },
    sellar: {
      run: () => sealFinalRecord(services, edition, actor),
      message: 'El acta está sellada. Imprime el orden aquí abajo.',
    },
  }
  const outcome = await withDiskFullRefusal(services, async () => {
    if (intent === 'enlace' || intent === 'enlaces') return makeLinks()
    if (intent === 'cerrar-telefono') {
      await revokePhone(services, edition, judge, actor)
      return succeed('Ese teléfono ya no entra. Haz otro enlace cuando haga falta.')
    }
    if (intent === 'publicar' || intent === 'ocultar') {
      const publishResult = await setRecordPublic(services, edition, intent === 'publicar', actor)
      if (!publishResult.ok)
        return respondRefused(
          publishResult.reason === 'alterada' ? ALTERED_RECORD_MESSAGE : RECORD_REFUSAL_MESSAGES[publishResult.reason],
          409,
        )
      return succeed(
        intent === 'publicar'
          ? 'El acta ya es pública: está en /final/acta. En menos de un minuto la portada lleva a la reina.'
          : 'El acta ya no es pública: sólo se ve desde esta mesa.',
      )
    }
    const step = Object.hasOwn(recordSteps, intent) ? recordSteps[intent] : undefined
    if (!step) return respondRefused('Ese botón no se entendió. Recarga la página.')
    const stepResult = await step.run()
    return stepResult.ok
      ? succeed(step.message)
      : respondRefused(
          stepResult.reason === 'alterada' ? ALTERED_RECORD_MESSAGE : RECORD_REFUSAL_MESSAGES[stepResult.reason],
          409,
        )
  })
  if ('reason' in outcome) return respondRefused(DISK_FULL_MESSAGE, DISK_FULL_STATUS)
  return outcome

  async function makeLinks() {
    const { state } = await readFinalRecord(services, edition)
    if (state.final?.closing) return respondRefused(RECORD_REFUSAL_MESSAGES.sellada, 409)
    const jury = (await readJudgingTable(services)).jury
    const chosenJudges =
      intent === 'enlace'
        ? jury.filter(({ number }) => number === judge)
        : jury.filter(({ linkStatus }) => linkStatus === 'none')
    const newLinks: JudgeLink[] = []
    for (const { number, name } of chosenJudges) {
      const judgeName = text(`nombre-${number}`) || name
      const link = await makeJudgeLink(services, { judgeNumber: number, typedName: judgeName }, actor)
      if (link) newLinks.push(toJudgeLink(services, number, judgeName, link.key))
    }
    if (newLinks.length === 0) return respondRefused('Ese lugar del jurado no existe. Recarga la página.')
    return succeed(
      newLinks.length === 1
        ? 'Enlace hecho. El teléfono que ese juez tenía antes ya no entra.'
        : `Enlaces hechos: ${newLinks.length}. Se muestran una sola vez.`,
      newLinks,
    )
  }
}

/** Returns a judge's link. The link's key is in the URL fragment, which a browser that opens the link sends to no server. */
function toJudgeLink({ settings }: Pick<Services, 'settings'>, judge: number, name: string, key: string): JudgeLink {
  const url = `${settings.publicUrl}/jurado#${key}`
  return { judge, name, url, qrCode: qrCodeOf(url) }
}

/** Returns the values of the fields whose name is a prefix and a judge's number, by judge. */
const fieldsByJudge = (form: FormData, prefix: string) =>
  new Map(
    [...form.entries()].flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[Number(name.slice(prefix.length)), value] as const] : [],
    ),
  )
const readMissingSheetReasons = (form: FormData) => fieldsByJudge(form, 'sin-')
const readJudgeNames = (form: FormData) => fieldsByJudge(form, 'nombre-')

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'La final' }, args)

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export default function JudgingTablePage({ loaderData, actionData }: Route.ComponentProps) {
  useAutoRefresh()
  // A revalidation clears actionData, so this state keeps the message and the links, which are shown only once.
  const [outcome, setOutcome] = useState(actionData)
  useEffect(() => {
    if (actionData) setOutcome(actionData)
  }, [actionData])
  if (!loaderData) return null
  const judgingTable = loaderData
  const { final, rules, firstAlteredEntry } = judgingTable
  const newLinks = outcome?.links ?? []
  return (
    <div className={styles.judgingTable}>
      <header className={joinClasses(styles.headline, final && styles.night)}>
        <h1>La noche de la final</h1>
        {final && (
          <span>
            {judgingTable.pageantName} {judgingTable.edition}
          </span>
        )}
      </header>
      {final && (
        <p>
          <Link to="/organizadores/final/tarjeta">Tarjeta de quien conduce</Link>
        </p>
      )}
      {outcome && (
        <div key={JSON.stringify(outcome.message)}>
          <Banner tone={outcome.ok ? 'good' : 'bad'} message={outcome.message} />
        </div>
      )}
      {firstAlteredEntry !== null && (
        <Banner
          tone="bad"
          message={`${ALTERED_RECORD_MESSAGE} La diferencia está en el asiento ${firstAlteredEntry}.`}
        />
      )}
      {rules.rondas.length === 0 ? (
        <p className={styles.lead}>
          Esta edición no tiene rondas de final. Se escriben en{' '}
          <RulesEditorLink mayEditRules={judgingTable.mayEditRules} />, y al publicarlas aparecen aquí.
        </p>
      ) : (
        <>
          {final && <CrownTie final={final} />}
          {(final?.closing || final?.provisionalRanking) && <FinalRanking judgingTable={judgingTable} />}
          {!final && <PrepareOpening judgingTable={judgingTable} newLinks={newLinks} />}
          {final && <Rounds judgingTable={judgingTable} refusedForm={outcome?.ok === false ? outcome : undefined} />}
          {final && !final.closing && <JurySection judgingTable={judgingTable} newLinks={newLinks} />}
        </>
      )}
    </div>
  )
}
