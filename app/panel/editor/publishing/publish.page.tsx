import { useEffect, useState } from 'react'
import { data, Form, useNavigation, useRevalidator } from 'react-router'
import { autorDe } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { abrirPuerta, requireConfirmacion, requireOrganizacion } from '#app/accounts/sign-in/login-wall.server.ts'
import { discardBorrador } from '#app/cms/drafts/draft-store.server.ts'
import { edicionPuesta } from '#app/cms/editions/displayed-edition.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { publica } from '#app/cms/publishing/mutations.server.ts'
import type { Valores } from '#app/cms/schema/read-content.server.ts'
import { type Services, servicesOf } from '#app/core/http/services.server.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { conDia, enFecha } from '#app/core/time/mexico-dates.ts'
import { SIN_ESPACIO, STATUS_SIN_ESPACIO, unlessFull } from '#app/core/uploads/disk-space.server.ts'
import { fallasDePantalla, readRedaccion } from '#app/panel/editor/data.server.ts'
import { claveDe } from '#app/panel/editor/draft-queue.ts'
import { PANTALLAS } from '#app/panel/editor/editable-screens.ts'
import { Volver } from '#app/panel/editor/handbook/back-and-help.tsx'
import { readElegida } from '#app/panel/guards.server.ts'
import { TextAreaField } from '#app/ui/forms/field.tsx'
import { Enlace } from '#app/ui/links/link.tsx'
import { Banner } from '#app/ui/primitives/banner.tsx'
import { Button, buttonLook } from '#app/ui/primitives/button.tsx'
import { separaVotos } from '#app/voting/ballot/mutations.server.ts'
import { hasBegun, moveCierre } from '#app/voting/tally/mutations.server.ts'
import type { Route } from './+types/publish.page'
import { Cambios } from './change-list.tsx'
import { cambiosEntre } from './diff.ts'
import { readUltimas, sumasDe } from './history.server.ts'
import styles from './publish.module.css'

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await abrirPuerta(request, context, 'sitio')).abierta) return null
  const { services } = servicesOf(context)
  const redaccion = await readRedaccion(services.db, (await readElegida(request, context)).anio)
  const { publicados, borrador } = redaccion
  const cambios = cambiosEntre(publicados.valores, borrador.valores)
  return {
    version: borrador.version,
    cambios,
    sumas: await sumasDe(services.db, cambios, publicados.archivos),
    fallas: PANTALLAS.flatMap((pantalla) =>
      fallasDePantalla(pantalla, redaccion).map((falla) => ({ ...falla, pantalla: pantalla.id })),
    ),
    quienes: [...new Set(Object.values(borrador.documentos).flatMap(({ quien, cambia }) => (cambia && quien) || []))],
    ultimas: (await readUltimas(services.db, publicados.anio, 1)).map((ultima) =>
      isOnItsWay(publicados.anio, ultima) ? { ...ultima, estado: 'preparando' as const } : ultima,
    ),
    cierre: await cierreMovido(services, publicados.anio, publicados.valores, borrador.valores),
  }
}

/** What is in force, but not shown by this process yet, is still on its way to visitors. */
function isOnItsWay(anio: number, { id, estado }: { id: number; estado: string }): boolean {
  const { publicacion, edicion } = edicionPuesta() ?? {}
  return estado === 'publicada' && edicion?.anio === anio && publicacion !== undefined && id > publicacion
}

/** Whether this draft moves the closing of the vote under way; `remedio`: why it cannot be published so. */
async function cierreMovido(services: Services, edicion: number, ...[publicado, borrador]: [Valores, Valores]) {
  const [antes, ahora] = [publicado, borrador].map(
    (valores) => (valores['edicion.yaml'] as { fechas?: { cierreVotacion?: string } }).fechas?.cierreVotacion ?? '',
  ) as [string, string]
  // Only whether one is asked for: no reason is written yet.
  const hecho = await moveCierre(services, { edicion, antes, ahora, motivo: 'Todavía no se escribe.' })
  if (!hecho.ok) return { remedio: hecho.remedio }
  return hecho.acta ? { antes: conDia(new Date(antes)), ahora: conDia(new Date(ahora)) } : undefined
}

const MAX_NOTA = 200

const RESERVADO =
  'Este borrador mueve fechas de la edición, abre el material de prensa, toca las reglas de la votación o dice quién ganó, y eso lo publica quien lleva todo el panel. Pídeselo, o deja esas partes como están en el sitio.'

export async function action({ request, context }: Route.ActionArgs) {
  const sesion = await requireOrganizacion(request, context, 'sitio')
  const { services } = servicesOf(context)
  const form = await request.formData()
  if (form.get('hacer') === 'descartar') {
    const { publicados } = await readRedaccion(services.db, (await readElegida(request, context)).anio)
    await discardBorrador(services.db, publicados.anio, undefined, autorDe(context, sesion))
    return { ok: true as const, publicacion: undefined }
  }
  const version = Number(form.get('version'))
  const nota = typedText(String(form.get('nota') ?? ''))
  const motivo = typedText(String(form.get('motivo') ?? '')).slice(0, 2_000)
  const refuse = (mensaje: string, status: number) => data({ ok: false as const, mensaje, nota, motivo }, { status })
  if (!Number.isSafeInteger(version)) return refuse('Vuelve a abrir esta pantalla y publica de nuevo.', 400)
  if (nota.length > MAX_NOTA)
    return refuse(`La nota tiene más de ${MAX_NOTA} letras: acórtala y publica de nuevo.`, 422)
  const { anio } = await readElegida(request, context)
  const hecho = await unlessFull(services, () =>
    publica(
      services,
      {
        ...{ anio, version, nota, empezada: hasBegun },
        permission: {
          mayReserved: may(sesion.rol, 'edicion'),
          confirm: () => requireConfirmacion(request, context, sesion, form),
        },
        comprueba: (documentos) => separaVotos(services, { edicion: anio, ...documentos['candidatas.yaml'] }),
        mueve: (tx, fechas) => moveCierre({ ...services, db: tx }, { edicion: anio, ...fechas, motivo }),
      },
      autorDe(context, sesion),
    ),
  )
  if (hecho.ok) return { ok: true as const, publicacion: hecho.publicacion }
  if (hecho.reason === 'sin-espacio') return refuse(SIN_ESPACIO, STATUS_SIN_ESPACIO)
  if (hecho.reason === 'ocupado')
    return refuse(
      `${hecho.quien ?? 'Alguien'} está publicando en este momento. Espera a que termine y revisa de nuevo.`,
      409,
    )
  if (hecho.reason === 'version')
    return refuse(
      'Mientras revisabas, alguien cambió el borrador. Abajo está como quedó: revísalo y publica de nuevo.',
      409,
    )
  if (hecho.reason === 'fallas')
    return refuse(
      `No se publicó, porque el sitio se rompería: ${hecho.fallas.map(({ campo, remedio }) => (campo ? `${campo}: ${remedio}` : remedio)).join('; ')}.`,
      422,
    )
  if (hecho.reason === 'cierre') return refuse(hecho.remedio, 422)
  if (hecho.reason === 'reservado') return refuse(RESERVADO, 403)
  if (hecho.reason === 'cerrada')
    return refuse(`La edición ${anio} todavía no se abre: se publica al abrirla, en «Ediciones».`, 409)
  return refuse('No hay ningún cambio que publicar.', 409)
}

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'
export { revalidateAfterClash as shouldRevalidate } from '#app/panel/rules.ts'

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Publicar, El sitio' }, args)

const LOOK_MS = 700

/** What changes in words and pictures, before and after, and the button that shows it to everybody. */
export default function Publicar({ loaderData, actionData }: Route.ComponentProps) {
  const { state } = useNavigation()
  const { revalidate } = useRevalidator()
  // A look at how far it is forgets what the press itself answered.
  const [mine, setMine] = useState<number>()
  if (actionData?.ok && actionData.publicacion !== undefined && actionData.publicacion !== mine)
    setMine(actionData.publicacion)
  const ultima = loaderData?.ultimas[0]
  const isPreparing = ultima?.estado === 'preparando'
  useEffect(() => {
    if (!isPreparing) return
    const timer = setInterval(revalidate, LOOK_MS)
    return () => clearInterval(timer)
  }, [isPreparing, revalidate])
  if (!loaderData) return null
  const { version, cambios, sumas, fallas, quienes, cierre } = loaderData
  const noSeMueve = cierre && 'remedio' in cierre ? cierre.remedio : undefined
  const isBusy = state !== 'idle' || isPreparing
  return (
    <>
      <Volver como="publicar" />
      <h1>Publicar</h1>
      <div role="status" className={styles.estado}>
        {isPreparing && <p className={styles.preparando}>Publicando… Quien visita el sitio lo ve en unos segundos.</p>}
        {mine !== undefined && ultima?.id === mine && ultima.estado === 'publicada' && (
          <Banner tone="good" message={`Publicado. Ya lo ve quien visita el sitio (${enFecha(ultima.at)}).`}>
            <a href="/" target="_blank" rel="noreferrer">
              Ver el sitio
            </a>
          </Banner>
        )}
        {ultima?.estado === 'fallida' && (
          <Banner
            tone="bad"
            message="La última publicación no se pudo terminar; el sitio sigue como estaba y tu borrador también."
          >
            {(ultima.fallas ?? []).map(({ campo, remedio }) => (campo ? `${campo}: ${remedio}` : remedio)).join('; ')}
          </Banner>
        )}
      </div>
      {actionData && !actionData.ok && <Banner tone="bad" message={actionData.mensaje} />}
      {cambios.length === 0 ? (
        <p>No hay cambios sin publicar: el sitio ya dice lo que dice el borrador.</p>
      ) : (
        <>
          {fallas.length > 0 && (
            <section className={styles.fallas} aria-labelledby="faltan">
              <h2 id="faltan">Antes de publicar, arregla esto</h2>
              <ul>
                {fallas.map(({ pantalla, documento, campo, donde, remedio }) => (
                  <li key={`${documento}${donde}`}>
                    <Enlace
                      to={`/organizadores/sitio/${pantalla}?campo=${encodeURIComponent(claveDe(documento, campo))}`}
                    >
                      {donde}
                    </Enlace>
                    : {remedio}
                  </li>
                ))}
              </ul>
            </section>
          )}
          <section className={styles.seccion} aria-labelledby="cambia">
            <h2 id="cambia">{cambios.length === 1 ? 'Cambia una cosa' : `Cambian ${cambios.length} cosas`}</h2>
            {quienes.length > 0 && <p className={styles.quienes}>Del borrador de {quienes.join(' y ')}.</p>}
            <Cambios cambios={cambios} sumas={sumas} conEnlaces />
          </section>
          {noSeMueve && <Banner tone="bad" message={noSeMueve} />}
          <Form method="post" className={styles.forma} preventScrollReset>
            <input type="hidden" name="version" value={version} />
            {cierre && 'ahora' in cierre && (
              <TextAreaField
                id="motivo"
                name="motivo"
                label="Por qué se mueve el cierre de la votación"
                hint={`La votación está abierta: cerraba el ${cierre.antes} y cerrará el ${cierre.ahora}. Lo que escribas se publica en un acta, junto con la fecha.`}
                rows={3}
                maxLength={300}
                defaultValue={actionData && !actionData.ok ? actionData.motivo : ''}
                aria-required
              />
            )}
            <label htmlFor="nota">Nota para la historia (opcional)</label>
            <input
              id="nota"
              name="nota"
              maxLength={MAX_NOTA}
              autoComplete="off"
              defaultValue={actionData && !actionData.ok ? actionData.nota : ''}
              placeholder="Por ejemplo: la foto nueva de la reina"
            />
            <p className={styles.botones}>
              <Button type="submit" busy={isBusy} disabled={fallas.length > 0 || noSeMueve !== undefined}>
                Publicar
              </Button>
              <Enlace to="/organizadores/sitio/ver" className={buttonLook('outline')}>
                Ver el sitio así
              </Enlace>
            </p>
          </Form>
          <details className={styles.descartar}>
            <summary>Descartar el borrador</summary>
            <p>Todos los campos vuelven a decir lo que ya está publicado, también los que escribió alguien más.</p>
            <Form method="post">
              <Button type="submit" look="outline" name="hacer" value="descartar" busy={state !== 'idle'}>
                Descartar todo
              </Button>
            </Form>
          </details>
        </>
      )}
      <p className={styles.botones}>
        <Enlace to="/organizadores/sitio/publicaciones" className={buttonLook('quiet')}>
          Historia de publicaciones
        </Enlace>
      </p>
    </>
  )
}
