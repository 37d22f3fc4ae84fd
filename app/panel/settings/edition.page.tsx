import { data, Form } from 'react-router'
import * as v from 'valibot'
import { autorDe } from '#app/accounts/guards.server.ts'
import { abrirPuerta, requireConfirmacion, requireOrganizacion } from '#app/accounts/sign-in/login-wall.server.ts'
import { loadFicha } from '#app/cms/editions/displayed-edition.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { listAjustes, readAjustes } from '#app/cms/settings/data.server.ts'
import { setAjuste } from '#app/cms/settings/mutations.server.ts'
import { estadoDe } from '#app/cms/settings/rules.ts'
import { AJUSTES, DIAS_PRIVACIDAD, type NombreDeAjuste } from '#app/cms/settings/schema.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { aqui, enFecha, enReloj, momentoDe } from '#app/core/time/mexico-dates.ts'
import { SIN_ESPACIO, STATUS_SIN_ESPACIO, unlessFull } from '#app/core/uploads/disk-space.server.ts'
import { countVencidas } from '#app/entries/retention/schedule.server.ts'
import { readUsoDeCorreo } from '#app/mail/data.server.ts'
import { quedanCodigos, type UsoDeCorreo } from '#app/mail/rules.ts'
import formas from '#app/panel/forms.module.css'
import { Encabezado } from '#app/panel/heading.tsx'
import { Aviso } from '#app/panel/notice.tsx'
import { campoDe, toId } from '#app/panel/rules.ts'
import { useUnaVez } from '#app/panel/use-submit-once.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import { isNotClosed } from '#app/voting/election/rules.ts'
import type { Route } from './+types/edition.page'

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await abrirPuerta(request, context, 'edicion')).abierta) return null
  const { db, clock } = servicesOf(context).services
  const { anio, fechas } = await loadFicha()
  const [ajustes, puestos, usoDeCorreo] = await Promise.all([
    readAjustes(db),
    listAjustes(db, anio),
    readUsoDeCorreo(db),
  ])
  return { ajustes, puestos, usoDeCorreo, cierreVotacion: fechas.cierreVotacion, ahora: clock.now() }
}

export async function action({ request, context }: Route.ActionArgs) {
  const sesion = await requireOrganizacion(request, context, 'edicion')
  const { services } = servicesOf(context)
  const { anio } = await loadFicha()
  const form = await request.formData()
  const text = (name: string) => campoDe(form, name)
  const ajuste = Object.keys(AJUSTES).find((one) => one === text('ajuste')) as NombreDeAjuste | undefined
  const valores = {
    abre: text('abre'),
    cierra: text('cierra'),
    dias: text('dias'),
    cuota: text('cuota').trim(),
    publica: form.has('publica'),
  }
  /** @param seguro what has to be confirmed first */
  const refuse = (mensaje: string, status: number, seguro?: { dias: number; cuantas: number }) =>
    data({ ok: false as const, ajuste: ajuste ?? '', mensaje, valores, seguro }, { status })
  if (!ajuste) return refuse('Ese ajuste no existe.', 400)
  await requireConfirmacion(request, context, sesion, form)
  // Without a number nothing is said of the mail's quota.
  const isContenido = text('hacer') === 'contenido' || (ajuste === 'correo.cuota' && valores.cuota === '')
  const dias = isContenido ? DIAS_PRIVACIDAD : Number(valores.dias || Number.NaN)
  const valor = isContenido
    ? undefined
    : ajuste === 'prensa.publica'
      ? valores.publica
      : ajuste === 'privacidad.dias'
        ? dias
        : ajuste === 'correo.cuota'
          ? Number(valores.cuota)
          : { abre: momentoDe(valores.abre) ?? '', cierra: momentoDe(valores.cierra) ?? '' }
  // What was confirmed is this number of days, and no other that was typed since.
  if (ajuste === 'privacidad.dias' && v.is(AJUSTES[ajuste], dias) && text('seguro') !== String(dias)) {
    const cuantas = await countVencidas(services, dias)
    if (cuantas > 0)
      return refuse(
        `No se guardó todavía. Con ${enDias(dias)} vence el plazo de ${enTotal(cuantas)}: lo que vence se borra en menos de un día, con sus documentos, y no se puede deshacer. Si es lo que quieres, marca la casilla en «Privacidad», más abajo, y repítelo.`,
        422,
        { dias, cuantas },
      )
  }
  const version = Math.min(toId(text('version')), MAX_VERSION)
  const hecho = await unlessFull(services, () =>
    setAjuste(services.db, anio, { nombre: ajuste, valor, version }, autorDe(context, sesion), services.clock.now()),
  )
  if (hecho.ok) return { ok: true as const, ajuste, mensaje: 'Listo: el cambio ya está en vigor.' }
  if (hecho.reason === 'sin-espacio') return refuse(SIN_ESPACIO, STATUS_SIN_ESPACIO)
  if (hecho.reason === 'version')
    return refuse(
      `No se guardó: mientras tanto ${hecho.quien ?? 'otra persona'} cambió este ajuste. Lo que escribiste sigue aquí: revísalo y vuelve a guardar.`,
      409,
    )
  return refuse(ajuste === 'privacidad.dias' ? 'Escribe un número entero de días, entre 1 y 3650.' : hecho.message, 422)
}

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'
export { revalidateAfterClash as shouldRevalidate } from '#app/panel/rules.ts'

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Edición' }, args)

/** Of the database's integers. */
const MAX_VERSION = 2 ** 31 - 1

const enDias = (dias: number) => (dias === 1 ? 'un día' : `${dias} días`)
const enTotal = (cuantas: number) =>
  cuantas === 1 ? 'una inscripción' : `${cuantas.toLocaleString('es-MX')} inscripciones`

const n = (cuantos: number) => cuantos.toLocaleString('es-MX')

const usadoEnPalabras = ({ codigos, ajenos, recibos, otros }: UsoDeCorreo) =>
  `En las últimas 24 horas: ${n(codigos)} códigos para votar (${n(ajenos)} de ellos, pedidos desde donde nadie ha usado uno), ${n(recibos)} recibos y ${n(otros)} de lo demás.`

function quedaEnPalabras(cuota: number | undefined, uso: UsoDeCorreo): string {
  if (cuota === undefined)
    return 'Si escribes cuántos mensajes admite tu proveedor, el sitio guarda una parte para recibos, cuentas y avisos: los códigos se quedan con siete de cada diez, y los que piden extraños, con la mitad de ésos.'
  const { codigos, ajenos } = quedanCodigos(cuota, uso)
  const quedan = Math.max(0, cuota - uso.codigos - uso.recibos - uso.otros)
  return `Quedan ${n(quedan)} de ${n(cuota)}: hasta ${n(codigos)} códigos más (${n(ajenos)}, para quien los pide desde donde nadie ha usado uno).`
}

const AHORA = { antes: 'Todavía no abre.', abierto: 'Está abierto ahora.', despues: 'Ya cerró.' }

/** What is open until when, and the switches of the edition. */
export default function Edicion({ loaderData, actionData }: Route.ComponentProps) {
  const { busy, once } = useUnaVez()
  if (!loaderData) return null
  const { ajustes, puestos, usoDeCorreo, cierreVotacion, ahora } = loaderData
  const typed = (ajuste: NombreDeAjuste) =>
    actionData && !actionData.ok && actionData.ajuste === ajuste ? actionData.valores : undefined
  const seguro = actionData && !actionData.ok ? actionData.seguro : undefined
  const pie = (ajuste: NombreDeAjuste) => {
    const puesto = puestos[ajuste]
    return (
      <>
        <input type="hidden" name="ajuste" value={ajuste} />
        <input type="hidden" name="version" value={puesto?.version ?? 0} />
        <p className={formas.botones}>
          <Button type="submit" look="outline" busy={busy} name="hacer" value="guardar">
            Guardar
          </Button>
          {puesto?.isSet && (
            <Button type="submit" look="quiet" busy={busy} name="hacer" value="contenido" formNoValidate>
              {ajuste === 'correo.cuota' ? 'Quitar el número' : 'Volver a lo que dice el contenido'}
            </Button>
          )}
        </p>
        <p className={formas.quien}>
          {puesto?.isSet
            ? `Lo cambió ${puesto.quien ?? 'alguien'} el ${enFecha(puesto.at)}.`
            : ajuste === 'correo.cuota'
              ? 'Todavía no se ha dicho cuántos.'
              : 'Es lo que dice el contenido de la edición.'}
        </p>
      </>
    )
  }
  return (
    <>
      <Encabezado titulo="Edición" />
      <p className={formas.entrada}>
        Los cambios entran en vigor en cuanto los guardas. Las horas son de la Ciudad de México.
      </p>
      {actionData && <Aviso hecho={actionData} />}
      <div className={formas.rejilla}>
        {(['registro.candidatas', 'registro.trajes'] as const).map((ajuste) => {
          const periodo = ajustes[ajuste]
          const nombre = ajuste === 'registro.candidatas' ? 'Registro de candidatas' : 'Registro de trajes típicos'
          const id = ajuste.replace('.', '-')
          return (
            <Form method="post" onSubmit={once} className={formas.forma} aria-labelledby={id} key={ajuste}>
              <h2 id={id}>{nombre}</h2>
              <p>{AHORA[estadoDe(periodo, ahora)]}</p>
              <label htmlFor={`${id}-abre`}>Abre</label>
              <input
                id={`${id}-abre`}
                type="datetime-local"
                name="abre"
                required
                key={`a${periodo.abre}`}
                defaultValue={typed(ajuste)?.abre ?? aqui(periodo.abre)}
              />
              <label htmlFor={`${id}-cierra`}>Cierra</label>
              <input
                id={`${id}-cierra`}
                type="datetime-local"
                name="cierra"
                required
                key={`c${periodo.cierra}`}
                defaultValue={typed(ajuste)?.cierra ?? aqui(periodo.cierra)}
              />
              {pie(ajuste)}
            </Form>
          )
        })}
        <section className={formas.forma} aria-labelledby="votacion">
          <h2 id="votacion">Votación</h2>
          <p>{isNotClosed(cierreVotacion, ahora) ? 'Está abierta ahora.' : 'Ya cerró.'}</p>
          <p>
            {isNotClosed(cierreVotacion, ahora) ? 'Cierra' : 'Cerró'} el {enReloj(new Date(cierreVotacion))}
          </p>
          <p className={formas.quien}>
            Se cambia en <Enlace to="/organizadores/sitio/certamen">El sitio › El certamen</Enlace>.
          </p>
        </section>
        <Form method="post" onSubmit={once} className={formas.forma} aria-labelledby="prensa">
          <h2 id="prensa">Material de prensa</h2>
          <label className={formas.casilla}>
            <input
              type="checkbox"
              name="publica"
              key={String(ajustes['prensa.publica'])}
              defaultChecked={typed('prensa.publica')?.publica ?? ajustes['prensa.publica']}
            />
            Cualquiera puede abrirlo, sin cuenta
          </label>
          {pie('prensa.publica')}
        </Form>
        <Form method="post" onSubmit={once} className={formas.forma} aria-labelledby="correo">
          <h2 id="correo">Correo</h2>
          <p>{usadoEnPalabras(usoDeCorreo)}</p>
          <p id="quedan">{quedaEnPalabras(ajustes['correo.cuota'], usoDeCorreo)}</p>
          <label htmlFor="cuota">Mensajes que tu proveedor de correo deja enviar en un día</label>
          <input
            id="cuota"
            type="number"
            name="cuota"
            min={10}
            step={1}
            aria-describedby="quedan"
            key={`c${ajustes['correo.cuota']}`}
            defaultValue={typed('correo.cuota')?.cuota ?? ajustes['correo.cuota']}
          />
          {pie('correo.cuota')}
        </Form>
        <Form method="post" onSubmit={once} className={formas.forma} aria-labelledby="privacidad">
          <h2 id="privacidad">Privacidad</h2>
          <p id="promesa">
            El aviso de privacidad promete {DIAS_PRIVACIDAD} días: con menos se cumple; para conservarlas más, primero
            hay que cambiar el aviso.
          </p>
          <label htmlFor="dias">
            Días que se conservan las inscripciones y sus documentos después de la final (o de su llegada, si llegan
            después)
          </label>
          <input
            id="dias"
            type="number"
            name="dias"
            min={1}
            max={3650}
            step={1}
            required
            aria-describedby="promesa"
            key={ajustes['privacidad.dias']}
            defaultValue={typed('privacidad.dias')?.dias ?? ajustes['privacidad.dias']}
          />
          {seguro && (
            <label className={formas.casilla}>
              <input type="checkbox" name="seguro" value={seguro.dias} key={seguro.dias} />
              Entiendo que con {enDias(seguro.dias)} vence el plazo de {enTotal(seguro.cuantas)}, y que lo que se borra
              no se puede recuperar
            </label>
          )}
          {pie('privacidad.dias')}
        </Form>
      </div>
    </>
  )
}
