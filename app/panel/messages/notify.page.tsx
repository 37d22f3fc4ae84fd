import { data, Form } from 'react-router'
import { actorOf } from '#app/accounts/guards.server.ts'
import { checkLoginWall, requireOrganiser } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { DISK_FULL_MESSAGE, DISK_FULL_STATUS, unlessFull } from '#app/core/uploads/disk-space.server.ts'
import { listRecipients } from '#app/entries/messages/data.server.ts'
import { notify } from '#app/entries/messages/mutations.server.ts'
import { readOccasion } from '#app/entries/messages/rules.ts'
import {
  NO_MAIL_SERVER,
  NOTICE_MESSAGES,
  OCCASION_NAMES,
  type Occasion,
  type Recipient,
} from '#app/entries/messages/schema.ts'
import { STATE_NAMES } from '#app/entries/schema.ts'
import { DeliveryStatus, useDeliveryStatus } from '#app/panel/delivery-status.tsx'
import entry from '#app/panel/entry/entry.module.css'
import forms from '#app/panel/forms.module.css'
import { Heading } from '#app/panel/heading.tsx'
import { Aviso } from '#app/panel/notice.tsx'
import { howMany, readFilter, toId } from '#app/panel/rules.ts'
import { useBackToList } from '#app/panel/use-back-to-list.ts'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { Warning } from '#app/ui/primitives/banner.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import type { Route } from './+types/notify.page'
import { LetterPreview } from './letter-preview.tsx'
import styles from './notify.module.css'

const idsDe = (request: Request) => readFilter(new URL(request.url).searchParams, 0).ids ?? []

export async function loader({ request, context }: Route.LoaderArgs) {
  // The frame shows the login wall instead of this screen.
  if (!(await checkLoginWall(request, context, 'mensajes')).abierta) return null
  const { db, settings } = servicesOf(context).services
  return { elegidas: await listRecipients(db, idsDe(request)), haySmtp: settings.smtpUrl !== undefined }
}

/** Result for one entry: a queued message, or the reason why none was queued. */
interface Outcome {
  id: number
  falta?: string
}

/** Value of a checkbox, which identifies a message: entry, occasion, step, and the message's number for that step. */
const nameOf = ({ id, ocasion, paso, avisos }: Recipient) => `${id}:${ocasion}:${paso}:${avisos.length + 1}`

function readRequests(form: FormData) {
  return form.getAll('aviso').flatMap((text) => {
    const [id, occasion, step, vez] = String(text).split(':')
    const what = readOccasion(occasion)
    const requested = { inscripcion: toId(id), paso: toId(step), vez: toId(vez) }
    return what && requested.inscripcion && requested.paso && requested.vez ? [{ ...requested, ocasion: what }] : []
  })
}

export async function action({ request, context }: Route.ActionArgs) {
  const session = await requireOrganiser(request, context, 'mensajes')
  const { services } = servicesOf(context)
  const actor = actorOf(context, session)
  const requests = readRequests(await request.formData())
  const refuse = (message: string, status: number, outcomes: Outcome[] = []) =>
    data({ ok: false as const, mensaje: message, hechas: outcomes }, { status })
  if (requests.length === 0) return refuse('No elegiste a nadie. Marca a quién se le avisa.', 422)
  const outcomes: Outcome[] = []
  for (const requested of requests) {
    const done = await unlessFull(services, () => notify(services.db, services, requested, actor))
    if (done.ok) outcomes.push({ id: requested.inscripcion })
    else if (done.reason === 'sin-espacio') return refuse(DISK_FULL_MESSAGE, DISK_FULL_STATUS, outcomes)
    else outcomes.push({ id: requested.inscripcion, falta: NOTICE_MESSAGES[done.reason] })
  }
  return { ok: true as const, mensaje: '', hechas: outcomes }
}

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ pantalla: 'Avisar por correo' }, args)

const peopleInWords = (number: number) => (number === 1 ? 'una persona' : `${number} personas`)

/** Shows the recipients and the first letter, asks for confirmation, and then shows the delivery status of each message. */
export default function Avisar({ loaderData, actionData }: Route.ComponentProps) {
  const wayBack = useBackToList()
  const now = useDeliveryStatus((loaderData?.elegidas ?? []).flatMap(({ avisos }) => avisos))
  if (!loaderData) return null
  const { haySmtp } = loaderData
  const selected = loaderData.elegidas.map((one) => ({
    ...one,
    avisos: one.avisos.map((aviso) => now.find(({ id }) => id === aviso.id) ?? aviso),
  }))
  const [una] = selected
  const esUna = selected.length === 1 && una !== undefined
  const toNotify = selected.filter((one) => one.ocasion && one.correo && (esUna || one.avisos.length === 0))
  const [first] = toNotify
  const title = actionData?.ok
    ? 'Avisos por correo'
    : toNotify.length > 0
      ? `¿Avisar por correo a ${esUna ? una.titular : peopleInWords(toNotify.length)}?`
      : 'Nadie a quien avisar'
  return (
    <>
      <p className={entry.regreso}>
        {esUna ? (
          <Enlace to={`/organizadores/inscripciones/${una.id}`}>{una.titular}</Enlace>
        ) : (
          <Enlace to={wayBack}>Inscripciones</Enlace>
        )}
      </p>
      <Heading titulo={title} />
      {actionData && !actionData.ok && <Aviso hecho={actionData} />}
      {!haySmtp && <Warning>{NO_MAIL_SERVER}</Warning>}
      {selected.length === 0 && (
        <p className={forms.entrada}>No elegiste ninguna. Vuelve a la lista y marca las que quieras.</p>
      )}
      {actionData?.ok ? (
        <SentMessages hechas={actionData.hechas} elegidas={selected} haySmtp={haySmtp} />
      ) : (
        <div className={styles.mesa}>
          <div className={styles.lado}>
            {first && <Prompt seAvisan={toNotify} esUna={esUna} vuelta={wayBack} />}
            <Sin elegidas={selected} esUna={esUna} />
          </div>
          {first?.ocasion && (
            <LetterPreview
              titulo={esUna ? 'Esto le llega' : `Esto le llega a ${first.titular}`}
              params={{ id: String(first.id) }}
            />
          )}
        </div>
      )}
    </>
  )
}

const DE: Readonly<Record<Occasion, string>> = {
  aceptada: 'que fue aceptada',
  rechazada: 'que no fue aceptada',
  'falta-documento': 'que le falta un documento',
}

function Prompt({ seAvisan, esUna, vuelta }: { seAvisan: Recipient[]; esUna: boolean; vuelta: string }) {
  const { busy, once } = useSubmitOnce()
  const [first] = seAvisan
  const before = esUna ? first?.avisos[0] : undefined
  return (
    <Form method="post" onSubmit={once}>
      {before && (
        <p className={styles.dicho}>
          Ya se le avisó de esto mismo: <DeliveryStatus suerte={before.suerte} />. Si se lo mandas otra vez, le llegan
          dos.
        </p>
      )}
      {esUna && first?.ocasion && (
        <p>
          Se le dice a {first.correo} {DE[first.ocasion]}
          {first.nota ? ', con tu nota.' : ', sin nota.'}
        </p>
      )}
      {esUna ? (
        <input type="hidden" name="aviso" value={nameOf(first!)} />
      ) : (
        <>
          <h2>Se puede avisar a {peopleInWords(seAvisan.length)}</h2>
          <ul className={styles.personas}>
            {seAvisan.map((one) => (
              <li key={one.id}>
                <label>
                  <input type="checkbox" name="aviso" value={nameOf(one)} defaultChecked />
                  <span>{one.titular}</span>
                  <small>
                    {one.ocasion && OCCASION_NAMES[one.ocasion].toLowerCase()} · {one.correo}
                  </small>
                </label>
              </li>
            ))}
          </ul>
        </>
      )}
      <p className={styles.botones}>
        <Button type="submit" look="main" busy={busy}>
          {before ? 'Mandárselo otra vez' : esUna ? 'Mandarle el correo' : 'Mandar los correos'}
        </Button>
        <Enlace to={esUna && first ? `/organizadores/inscripciones/${first.id}` : vuelta}>No mandar nada</Enlace>
      </p>
    </Form>
  )
}

/** Chosen entries that get no message, and why. */
function Sin({ elegidas, esUna }: { elegidas: Recipient[]; esUna: boolean }) {
  const withoutEmail = elegidas.filter((one) => one.ocasion && !one.correo)
  const undecided = elegidas.filter((one) => !one.ocasion)
  const ya = esUna ? [] : elegidas.filter((one) => one.ocasion && one.correo && one.avisos.length > 0)
  return (
    <>
      {withoutEmail.length > 0 && (
        <section aria-labelledby="sin-correo">
          <h2 id="sin-correo">Sin correo: llámales por teléfono ({withoutEmail.length})</h2>
          <People personas={withoutEmail} que={(person) => <Phone {...person} />} />
        </section>
      )}
      {ya.length > 0 && (
        <section aria-labelledby="ya">
          <h2 id="ya">Ya se les avisó ({ya.length})</h2>
          <People personas={ya} que={({ avisos }) => avisos[0] && <DeliveryStatus suerte={avisos[0].suerte} />} />
        </section>
      )}
      {undecided.length > 0 && (
        <section aria-labelledby="sin-decidir">
          <h2 id="sin-decidir">Todavía no hay qué avisarles ({undecided.length})</h2>
          <p>Se avisa cuando la inscripción está aceptada, rechazada o le falta un documento.</p>
          <People personas={undecided} que={({ estado }) => STATE_NAMES[estado]} />
        </section>
      )}
    </>
  )
}

const Phone = ({ celular, telefono }: Pick<Recipient, 'celular' | 'telefono'>) =>
  telefono ? <a href={`tel:${telefono}`}>{celular}</a> : celular

const People = ({ personas, que }: { personas: Recipient[]; que(person: Recipient): React.ReactNode }) => (
  <ul className={styles.personas}>
    {personas.map((person) => (
      <li key={person.id}>
        <p>
          <Enlace to={`/organizadores/inscripciones/${person.id}`}>{person.titular}</Enlace>
          <small>{que(person)}</small>
        </p>
      </li>
    ))}
  </ul>
)

/** The delivery status of each message, which updates until the mail server has answered. */
function SentMessages({ hechas, elegidas, haySmtp }: { hechas: Outcome[]; elegidas: Recipient[]; haySmtp: boolean }) {
  const queued = hechas.filter(({ falta }) => falta === undefined)
  const waiting = elegidas.filter(({ avisos }) => avisos[0]?.suerte === 'espera').length
  const sent = elegidas.filter(
    ({ id, avisos }) => avisos[0]?.suerte === 'enviado' && queued.some((one) => one.id === id),
  ).length
  return (
    <>
      <p className={styles.dicho} role="status">
        {!haySmtp
          ? 'Quedó guardado y no le llega a nadie: el sitio no tiene servidor de correo.'
          : waiting > 0
            ? `En espera de salir: ${waiting} de ${queued.length}. Esta pantalla cambia sola.`
            : `El servidor de correo aceptó ${sent} de ${queued.length}. Si alguno regresa, aparece en «Mensajes».`}
      </p>
      <ul className={styles.personas}>
        {hechas.map(({ id, falta }) => {
          const one = elegidas.find((chosen) => chosen.id === id)
          const aviso = one?.avisos[0]
          return (
            <li key={id}>
              <p>
                <Enlace to={`/organizadores/inscripciones/${id}`}>{one?.titular ?? howMany(1)}</Enlace>
                {!falta && aviso && <DeliveryStatus suerte={aviso.suerte} />}
              </p>
              {(falta || aviso?.motivo) && (
                <p className={styles.motivo}>{falta ? `No se mandó: ${falta}.` : aviso?.motivo}</p>
              )}
            </li>
          )
        })}
      </ul>
    </>
  )
}
