import { data, Form } from 'react-router'
import { autorDe } from '#app/accounts/guards.server.ts'
import { abrirPuerta, requireOrganizacion } from '#app/accounts/sign-in/login-wall.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { SIN_ESPACIO, STATUS_SIN_ESPACIO, unlessFull } from '#app/core/uploads/disk-space.server.ts'
import { listDestinatarias } from '#app/entries/messages/data.server.ts'
import { avisar } from '#app/entries/messages/mutations.server.ts'
import { readOcasion } from '#app/entries/messages/rules.ts'
import {
  type Destinataria,
  MENSAJES_DE_AVISO,
  NOMBRE_DE_OCASION,
  type Ocasion,
  SIN_SERVIDOR,
} from '#app/entries/messages/schema.ts'
import { NOMBRE_DE_ESTADO } from '#app/entries/schema.ts'
import { Suerte, useEspera } from '#app/panel/delivery-status.tsx'
import inscripcion from '#app/panel/entry/entry.module.css'
import formas from '#app/panel/forms.module.css'
import { Encabezado } from '#app/panel/heading.tsx'
import { Aviso } from '#app/panel/notice.tsx'
import { cuantas, readFiltro, toId } from '#app/panel/rules.ts'
import { useVuelta } from '#app/panel/use-back-to-list.ts'
import { useUnaVez } from '#app/panel/use-submit-once.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { Warning } from '#app/ui/primitives/banner.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import type { Route } from './+types/notify.page'
import { VistaDeCarta } from './letter-preview.tsx'
import styles from './notify.module.css'

const idsDe = (request: Request) => readFiltro(new URL(request.url).searchParams, 0).ids ?? []

export async function loader({ request, context }: Route.LoaderArgs) {
  // The frame shows the door instead of this screen.
  if (!(await abrirPuerta(request, context, 'mensajes')).abierta) return null
  const { db, settings } = servicesOf(context).services
  return { elegidas: await listDestinatarias(db, idsDe(request)), haySmtp: settings.smtpUrl !== undefined }
}

/** What came of one of them; `falta`: why nothing was queued. */
interface Hecha {
  id: number
  falta?: string
}

/** Which message a box means: the entry, what it tells of, the step, and which message about it. */
const nombreDe = ({ id, ocasion, paso, avisos }: Destinataria) => `${id}:${ocasion}:${paso}:${avisos.length + 1}`

function readPedidos(form: FormData) {
  return form.getAll('aviso').flatMap((text) => {
    const [id, ocasion, paso, vez] = String(text).split(':')
    const what = readOcasion(ocasion)
    const pedido = { inscripcion: toId(id), paso: toId(paso), vez: toId(vez) }
    return what && pedido.inscripcion && pedido.paso && pedido.vez ? [{ ...pedido, ocasion: what }] : []
  })
}

export async function action({ request, context }: Route.ActionArgs) {
  const sesion = await requireOrganizacion(request, context, 'mensajes')
  const { services } = servicesOf(context)
  const autor = autorDe(context, sesion)
  const pedidos = readPedidos(await request.formData())
  const refuse = (mensaje: string, status: number, hechas: Hecha[] = []) =>
    data({ ok: false as const, mensaje, hechas }, { status })
  if (pedidos.length === 0) return refuse('No elegiste a nadie. Marca a quién se le avisa.', 422)
  const hechas: Hecha[] = []
  for (const pedido of pedidos) {
    const hecho = await unlessFull(services, () => avisar(services.db, services, pedido, autor))
    if (hecho.ok) hechas.push({ id: pedido.inscripcion })
    else if (hecho.reason === 'sin-espacio') return refuse(SIN_ESPACIO, STATUS_SIN_ESPACIO, hechas)
    else hechas.push({ id: pedido.inscripcion, falta: MENSAJES_DE_AVISO[hecho.reason] })
  }
  return { ok: true as const, mensaje: '', hechas }
}

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Avisar por correo' }, args)

const aCuantas = (number: number) => (number === 1 ? 'una persona' : `${number} personas`)

/** Shows whom a message reaches, and the first of them as it arrives; asks, and then says what becomes of each. */
export default function Avisar({ loaderData, actionData }: Route.ComponentProps) {
  const vuelta = useVuelta()
  const now = useEspera((loaderData?.elegidas ?? []).flatMap(({ avisos }) => avisos))
  if (!loaderData) return null
  const { haySmtp } = loaderData
  const elegidas = loaderData.elegidas.map((one) => ({
    ...one,
    avisos: one.avisos.map((aviso) => now.find(({ id }) => id === aviso.id) ?? aviso),
  }))
  const [una] = elegidas
  const esUna = elegidas.length === 1 && una !== undefined
  const seAvisan = elegidas.filter((one) => one.ocasion && one.correo && (esUna || one.avisos.length === 0))
  const [primera] = seAvisan
  const titulo = actionData?.ok
    ? 'Avisos por correo'
    : seAvisan.length > 0
      ? `¿Avisar por correo a ${esUna ? una.titular : aCuantas(seAvisan.length)}?`
      : 'Nadie a quien avisar'
  return (
    <>
      <p className={inscripcion.regreso}>
        {esUna ? (
          <Enlace to={`/organizadores/inscripciones/${una.id}`}>{una.titular}</Enlace>
        ) : (
          <Enlace to={vuelta}>Inscripciones</Enlace>
        )}
      </p>
      <Encabezado titulo={titulo} />
      {actionData && !actionData.ok && <Aviso hecho={actionData} />}
      {!haySmtp && <Warning>{SIN_SERVIDOR}</Warning>}
      {elegidas.length === 0 && (
        <p className={formas.entrada}>No elegiste ninguna. Vuelve a la lista y marca las que quieras.</p>
      )}
      {actionData?.ok ? (
        <Enviadas hechas={actionData.hechas} elegidas={elegidas} haySmtp={haySmtp} />
      ) : (
        <div className={styles.mesa}>
          <div className={styles.lado}>
            {primera && <Pregunta seAvisan={seAvisan} esUna={esUna} vuelta={vuelta} />}
            <Sin elegidas={elegidas} esUna={esUna} />
          </div>
          {primera?.ocasion && (
            <VistaDeCarta
              titulo={esUna ? 'Esto le llega' : `Esto le llega a ${primera.titular}`}
              params={{ id: String(primera.id) }}
            />
          )}
        </div>
      )}
    </>
  )
}

const DE: Readonly<Record<Ocasion, string>> = {
  aceptada: 'que fue aceptada',
  rechazada: 'que no fue aceptada',
  'falta-documento': 'que le falta un documento',
}

function Pregunta({ seAvisan, esUna, vuelta }: { seAvisan: Destinataria[]; esUna: boolean; vuelta: string }) {
  const { busy, once } = useUnaVez()
  const [primera] = seAvisan
  const before = esUna ? primera?.avisos[0] : undefined
  return (
    <Form method="post" onSubmit={once}>
      {before && (
        <p className={styles.dicho}>
          Ya se le avisó de esto mismo: <Suerte suerte={before.suerte} />. Si se lo mandas otra vez, le llegan dos.
        </p>
      )}
      {esUna && primera?.ocasion && (
        <p>
          Se le dice a {primera.correo} {DE[primera.ocasion]}
          {primera.nota ? ', con tu nota.' : ', sin nota.'}
        </p>
      )}
      {esUna ? (
        <input type="hidden" name="aviso" value={nombreDe(primera!)} />
      ) : (
        <>
          <h2>Se puede avisar a {aCuantas(seAvisan.length)}</h2>
          <ul className={styles.personas}>
            {seAvisan.map((one) => (
              <li key={one.id}>
                <label>
                  <input type="checkbox" name="aviso" value={nombreDe(one)} defaultChecked />
                  <span>{one.titular}</span>
                  <small>
                    {one.ocasion && NOMBRE_DE_OCASION[one.ocasion].toLowerCase()} · {one.correo}
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
        <Enlace to={esUna && primera ? `/organizadores/inscripciones/${primera.id}` : vuelta}>No mandar nada</Enlace>
      </p>
    </Form>
  )
}

/** Whom no message goes to, and why. */
function Sin({ elegidas, esUna }: { elegidas: Destinataria[]; esUna: boolean }) {
  const sinCorreo = elegidas.filter((one) => one.ocasion && !one.correo)
  const sinDecidir = elegidas.filter((one) => !one.ocasion)
  const ya = esUna ? [] : elegidas.filter((one) => one.ocasion && one.correo && one.avisos.length > 0)
  return (
    <>
      {sinCorreo.length > 0 && (
        <section aria-labelledby="sin-correo">
          <h2 id="sin-correo">Sin correo: llámales por teléfono ({sinCorreo.length})</h2>
          <Personas personas={sinCorreo} que={(persona) => <Celular {...persona} />} />
        </section>
      )}
      {ya.length > 0 && (
        <section aria-labelledby="ya">
          <h2 id="ya">Ya se les avisó ({ya.length})</h2>
          <Personas personas={ya} que={({ avisos }) => avisos[0] && <Suerte suerte={avisos[0].suerte} />} />
        </section>
      )}
      {sinDecidir.length > 0 && (
        <section aria-labelledby="sin-decidir">
          <h2 id="sin-decidir">Todavía no hay qué avisarles ({sinDecidir.length})</h2>
          <p>Se avisa cuando la inscripción está aceptada, rechazada o le falta un documento.</p>
          <Personas personas={sinDecidir} que={({ estado }) => NOMBRE_DE_ESTADO[estado]} />
        </section>
      )}
    </>
  )
}

const Celular = ({ celular, telefono }: Pick<Destinataria, 'celular' | 'telefono'>) =>
  telefono ? <a href={`tel:${telefono}`}>{celular}</a> : celular

const Personas = ({ personas, que }: { personas: Destinataria[]; que(persona: Destinataria): React.ReactNode }) => (
  <ul className={styles.personas}>
    {personas.map((persona) => (
      <li key={persona.id}>
        <p>
          <Enlace to={`/organizadores/inscripciones/${persona.id}`}>{persona.titular}</Enlace>
          <small>{que(persona)}</small>
        </p>
      </li>
    ))}
  </ul>
)

/** What became of each; it changes by itself until the mail server has answered. */
function Enviadas({ hechas, elegidas, haySmtp }: { hechas: Hecha[]; elegidas: Destinataria[]; haySmtp: boolean }) {
  const puestas = hechas.filter(({ falta }) => falta === undefined)
  const waiting = elegidas.filter(({ avisos }) => avisos[0]?.suerte === 'espera').length
  const sent = elegidas.filter(
    ({ id, avisos }) => avisos[0]?.suerte === 'enviado' && puestas.some((one) => one.id === id),
  ).length
  return (
    <>
      <p className={styles.dicho} role="status">
        {!haySmtp
          ? 'Quedó guardado y no le llega a nadie: el sitio no tiene servidor de correo.'
          : waiting > 0
            ? `En espera de salir: ${waiting} de ${puestas.length}. Esta pantalla cambia sola.`
            : `El servidor de correo aceptó ${sent} de ${puestas.length}. Si alguno regresa, aparece en «Mensajes».`}
      </p>
      <ul className={styles.personas}>
        {hechas.map(({ id, falta }) => {
          const one = elegidas.find((elegida) => elegida.id === id)
          const aviso = one?.avisos[0]
          return (
            <li key={id}>
              <p>
                <Enlace to={`/organizadores/inscripciones/${id}`}>{one?.titular ?? cuantas(1)}</Enlace>
                {!falta && aviso && <Suerte suerte={aviso.suerte} />}
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
