import type { FormEvent } from 'react'
import { data, Form } from 'react-router'
import { autorDe } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { abrirPuerta, requireConfirmacion, requireOrganizacion } from '#app/accounts/sign-in/login-wall.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { enFecha } from '#app/core/time/mexico-dates.ts'
import { SIN_ESPACIO, STATUS_SIN_ESPACIO, unlessFull } from '#app/core/uploads/disk-space.server.ts'
import { listElegidas } from '#app/entries/data.server.ts'
import { deleteInscripcion } from '#app/entries/retention/deletion.server.ts'
import { MAX_NOTA_CARACTERES, MENSAJES_DE_CAMBIO, NOMBRE_DE_ESTADO, NOMBRE_DE_TIPO } from '#app/entries/schema.ts'
import { changeEstado, undoCambio } from '#app/entries/states/mutations.server.ts'
import inscripcion from '#app/panel/entry/entry.module.css'
import { Estado } from '#app/panel/entry-state.tsx'
import formas from '#app/panel/forms.module.css'
import { readElegida } from '#app/panel/guards.server.ts'
import { Encabezado } from '#app/panel/heading.tsx'
import { Aviso } from '#app/panel/notice.tsx'
import {
  campoDe,
  cuantas,
  ESTADO_DE_VARIAS,
  type HacerConVarias,
  readElegidas,
  readFiltro,
  readHacerConVarias,
  VARIAS,
} from '#app/panel/rules.ts'
import { useVuelta } from '#app/panel/use-back-to-list.ts'
import { useUnaVez } from '#app/panel/use-submit-once.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import type { Route } from './+types/bulk-actions.page'
import styles from './bulk-actions.module.css'

export async function loader({ request, context }: Route.LoaderArgs) {
  // The frame shows the door instead of this screen.
  if (!(await abrirPuerta(request, context, 'inscripciones')).abierta) return null
  const asked = new URL(request.url).searchParams
  const { anio } = await readElegida(request, context)
  const { ids = [] } = readFiltro(asked, anio)
  const elegidas = ids.length === 0 ? [] : await listElegidas(servicesOf(context).services.db, anio, ids)
  return { hacer: readHacerConVarias(asked.get('hacer')) ?? ('rechazar' as const), elegidas }
}

/** What came of one of them. */
interface Hecha {
  /** As it is now, for taking it back. */
  id: number
  version: number
  folio: string
  /** Of a deletion: the receipt's number. */
  acuse?: string | undefined
  /** Why it was left as it is. */
  falta?: string
}

export async function action({ request, context }: Route.ActionArgs) {
  const sesion = await requireOrganizacion(request, context, 'inscripciones')
  const { services } = servicesOf(context)
  const form = await request.formData()
  const isUndo = form.get('hacer') === 'deshacer'
  const hacer = readHacerConVarias(form.get('hacer'))
  const vistas = readElegidas(form)
  const nota = campoDe(form, 'nota')
  const paraPersona = form.get('paraPersona') === 'si'
  const refuse = (mensaje: string, status = 422, hechas: Hecha[] = []) =>
    data(
      { ok: false as const, mensaje, hacer, isUndo, hechas, at: services.clock.now(), nota, paraPersona },
      { status },
    )
  if ((!hacer && !isUndo) || vistas.length === 0)
    return refuse('No elegiste ninguna. Vuelve a la lista y marca las que quieras.')
  if (hacer === 'borrar' && !may(sesion.rol, 'privacidad'))
    return refuse('Tu cuenta no borra inscripciones: pídeselo a quien administra.', 403)
  if (hacer === 'borrar' && !form.has('seguro')) return refuse('Marca que entiendes que no se puede deshacer.')
  if ([...nota].length > MAX_NOTA_CARACTERES) return refuse(MENSAJES_DE_CAMBIO.nota)
  if (hacer === 'borrar') await requireConfirmacion(request, context, sesion, form)

  const autor = autorDe(context, sesion)
  const { anio } = await readElegida(request, context)
  const known = await listElegidas(
    services.db,
    anio,
    vistas.map(({ id }) => id),
  )
  const hechas: Hecha[] = []
  for (const { id, version } of vistas) {
    const folio = known.find((one) => one.id === id)?.folio
    // Somebody else has deleted it: there is nothing left to be done, nor to be named.
    if (!folio) continue
    const hecho = await unlessFull(services, async () => {
      if (hacer === 'borrar') return deleteInscripcion(services, id, 'solicitud', autor)
      const vista = { id, version, at: services.clock.now() }
      const cambio =
        isUndo || !hacer
          ? await undoCambio(services.db, vista, autor)
          : await changeEstado(services.db, vista, { a: ESTADO_DE_VARIAS[hacer], nota, paraPersona }, autor)
      return cambio.ok ? { ...cambio, acuse: undefined } : cambio
    })
    const now = { id, version: version + 1, folio }
    if (hecho.ok) hechas.push({ ...now, acuse: hecho.acuse })
    else if (hecho.reason === 'sin-espacio') return refuse(SIN_ESPACIO, STATUS_SIN_ESPACIO, hechas)
    else if (hecho.reason === 'version')
      hechas.push({
        ...now,
        falta: `mientras tanto ${hecho.quien ?? 'la persona inscrita'} la cambió, y está «${NOMBRE_DE_ESTADO[hecho.estado]}»`,
      })
    else hechas.push({ ...now, falta: POR_QUE_NO[hecho.reason] ?? 'ya no existe' })
  }
  const done = hechas.filter(({ falta }) => falta === undefined).length
  const left = hechas.length - done
  const mensaje = [
    done > 0 && `${(hacer ? VARIAS[hacer].hecho : DESHECHO)[done === 1 ? 0 : 1]} ${cuantas(done)}.`,
    left > 0 && `${left === 1 ? 'Una quedó como estaba' : `${left} quedaron como estaban`}: abajo dice por qué.`,
    hechas.length === 0 && 'Ya no existía ninguna de las elegidas.',
  ]
  return {
    ...{ ok: true as const, mensaje: mensaje.filter(Boolean).join(' '), hacer, isUndo, hechas },
    at: services.clock.now(),
  }
}

const DESHECHO = ['Volvió a como estaba', 'Volvieron a como estaban']
const POR_QUE_NO: Readonly<Record<string, string>> = {
  estado: 'ya estaba así',
  'sin-cambio': 'ya no hay nada que deshacer',
}

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Varias inscripciones' }, args)

/** Asks before it does something to several entries at once, and says what came of each. */
export default function Varias({ loaderData, actionData }: Route.ComponentProps) {
  const { busy, once } = useUnaVez()
  const vuelta = useVuelta()
  if (!loaderData) return null
  const { elegidas, hacer } = loaderData
  const { verbo } = VARIAS[hacer]
  const isAsked = !actionData?.ok && !actionData?.isUndo && elegidas.length > 0
  return (
    <>
      <p className={inscripcion.regreso}>
        <Enlace to={vuelta}>Inscripciones</Enlace>
      </p>
      <Encabezado titulo={isAsked ? `¿${verbo} ${cuantas(elegidas.length)}?` : 'Varias a la vez'} />
      {actionData && <Aviso hecho={actionData} />}
      {actionData && actionData.hechas.length > 0 && <Resultado {...actionData} />}
      {!actionData && elegidas.length === 0 && (
        <p className={formas.entrada}>No elegiste ninguna. Vuelve a la lista y marca las que quieras.</p>
      )}
      {actionData && <Deshacer {...actionData} busy={busy} once={once} />}
      {isAsked && (
        <Form method="post" onSubmit={once} className={styles.pregunta}>
          <input type="hidden" name="hacer" value={hacer} />
          <ul className={styles.elegidas}>
            {elegidas.map(({ id, version, folio, titular, detalle, tipo, estado }) => (
              <li key={id}>
                <label>
                  <input type="checkbox" name="id" value={`${id}:${version}`} defaultChecked />
                  <span>
                    {titular} <small>{detalle ?? NOMBRE_DE_TIPO[tipo]}</small>
                  </span>
                </label>
                <span className={styles.folio}>{folio}</span>
                <Estado estado={estado} />
              </li>
            ))}
          </ul>
          <div className={formas.forma}>
            {hacer === 'borrar' ? (
              <>
                <p>
                  Se borran sus datos, sus documentos con sus versiones anteriores y los correos que se les enviaron. De
                  cada una queda un acuse.
                </p>
                <label className={formas.casilla}>
                  <input type="checkbox" name="seguro" required />
                  Entiendo que no se puede deshacer
                </label>
              </>
            ) : (
              <>
                <label htmlFor="nota">Nota (opcional, para la organización)</label>
                <textarea
                  id="nota"
                  name="nota"
                  rows={3}
                  maxLength={MAX_NOTA_CARACTERES}
                  defaultValue={actionData?.ok === false ? actionData.nota : undefined}
                />
                <label className={formas.casilla}>
                  <input
                    type="checkbox"
                    name="paraPersona"
                    value="si"
                    defaultChecked={actionData?.ok === false && actionData.paraPersona}
                  />
                  Cada persona también la lee, con su folio
                </label>
              </>
            )}
            <p className={formas.botones}>
              <Button type="submit" look="outline" busy={busy}>
                {VARIAS[hacer].boton}
              </Button>
              <Enlace to={vuelta} className={styles.dejar}>
                Dejarlas como están
              </Enlace>
            </p>
          </div>
        </Form>
      )}
    </>
  )
}

interface DeshacerProps {
  hacer: HacerConVarias | undefined
  hechas: Hecha[]
  busy: boolean
  once(event: FormEvent<HTMLFormElement>): void
}

/** All of it is taken back with one press: each entry by a step of its own, where nobody has changed it since. */
function Deshacer({ hacer, hechas, busy, once }: DeshacerProps) {
  const done = hechas.filter(({ falta }) => falta === undefined)
  if (!hacer || hacer === 'borrar' || done.length === 0) return null
  return (
    <Form method="post" onSubmit={once} className={styles.deshacer}>
      {done.map(({ id, version }) => (
        <input type="hidden" name="id" value={`${id}:${version}`} key={id} />
      ))}
      <Button type="submit" look="outline" busy={busy} name="hacer" value="deshacer">
        Deshacer {done.length === 1 ? 'el cambio' : `los ${done.length} cambios`}
      </Button>
    </Form>
  )
}

interface ResultadoProps {
  hacer: HacerConVarias | undefined
  hechas: Hecha[]
  at: Date
}

/** Of each what became of it; the receipts of those that are gone are shown this once. */
const Resultado = ({ hacer, hechas, at }: ResultadoProps) => (
  <section className={formas.acuse} aria-labelledby="resultado">
    <h2 id="resultado">{hacer === 'borrar' ? 'Acuses de borrado' : 'Qué pasó con cada una'}</h2>
    {hacer === 'borrar' && (
      <p>
        Del {enFecha(at)}, hora de la Ciudad de México. Guárdalos para quien te los pida: no se vuelven a mostrar
        juntos.
      </p>
    )}
    <ul className={styles.hechas}>
      {hechas.map(({ folio, acuse, falta }) => (
        <li key={folio}>
          <span className={styles.folio}>{folio}</span>{' '}
          {falta ? (
            `no: ${falta}`
          ) : acuse ? (
            <b>{acuse}</b>
          ) : hacer && hacer !== 'borrar' ? (
            NOMBRE_DE_ESTADO[ESTADO_DE_VARIAS[hacer]]
          ) : (
            'como antes'
          )}
        </li>
      ))}
    </ul>
  </section>
)
