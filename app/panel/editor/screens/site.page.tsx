import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { isEqual, valorEn } from '#app/cms/schema/edits.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { describeScreen, readEditorContent, screenFaults } from '#app/panel/editor/data.server.ts'
import { fieldKeyOf } from '#app/panel/editor/draft-queue.ts'
import { EDITABLE_SCREENS } from '#app/panel/editor/editable-screens.ts'
import { HelpLink } from '#app/panel/editor/handbook/back-and-help.tsx'
import { readChosenEdition } from '#app/panel/guards.server.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { buttonLook } from '#app/ui/primitives/button.tsx'
import type { Route } from './+types/site.page'
import styles from './site.module.css'
import { useFramePolicy } from './use-frame-policy.ts'

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await checkLoginWall(request, context, 'sitio')).abierta) return null
  const editorContent = await readEditorContent(
    servicesOf(context).services.db,
    (await readChosenEdition(request, context)).anio,
  )
  const { publicados, borrador } = editorContent
  const screens = EDITABLE_SCREENS.map((screen) => ({
    ...screen,
    hay: describeScreen(screen).length > 0,
    fallas: screenFaults(screen, editorContent),
    cambia: screen.partes.some(
      ({ documento, campo = [] }) =>
        !isEqual(valorEn(borrador.valores[documento], campo), valorEn(publicados.valores[documento], campo)),
    ),
  }))
  return { pantallas: screens.filter(({ hay }) => hay) }
}

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ pantalla: 'El sitio' }, args)

/** The editable screens, each with a thumbnail, its faults and a link to its form. */
export default function Sitio({ loaderData }: Route.ComponentProps) {
  useFramePolicy()
  if (!loaderData) return null
  const { pantallas } = loaderData
  const hasChanges = pantallas.some(({ cambia }) => cambia)
  const faultyScreens = pantallas.filter(({ fallas }) => fallas.length > 0)
  return (
    <>
      <h1>El sitio</h1>
      <p className={styles.entrada}>
        Todo lo que ve quien visita el sitio se cambia aquí. Lo que escribes se guarda solo, como borrador: nadie más lo
        ve hasta que se publica.
      </p>
      <p className={styles.acciones}>
        <Enlace to="/organizadores/sitio/publicar" className={buttonLook(hasChanges ? 'main' : 'outline')}>
          Publicar
        </Enlace>
        <Enlace to="/organizadores/sitio/ver" className={buttonLook('outline')}>
          Ver el sitio así
        </Enlace>
        <Enlace to="/organizadores/sitio/publicaciones" className={buttonLook('quiet')}>
          Historia
        </Enlace>
        <Enlace to="/organizadores/sitio/ediciones" className={buttonLook('quiet')}>
          Ediciones
        </Enlace>
        <HelpLink como="sitio" />
      </p>
      {faultyScreens.length > 0 && (
        <section className={styles.pendientes} aria-labelledby="pendientes">
          <h2 id="pendientes">Por arreglar</h2>
          {faultyScreens.map(({ id, titulo, fallas }) => (
            <div key={id}>
              <h3>{titulo}</h3>
              <ul>
                {fallas.map(({ documento, campo, donde, remedio }) => (
                  <li key={donde}>
                    <Enlace to={`/organizadores/sitio/${id}?campo=${encodeURIComponent(fieldKeyOf(documento, campo))}`}>
                      {donde}
                    </Enlace>
                    : {remedio}
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </section>
      )}
      <ul className={styles.pantallas}>
        {pantallas.map(({ id, titulo, dice, ruta, fallas, cambia }) => (
          <li key={id}>
            <span className={styles.miniatura} inert>
              <iframe
                src={`/organizadores/sitio/vista?publicado=si&ruta=${encodeURIComponent(ruta)}`}
                title={`${titulo}, como se ve ahora`}
                loading="lazy"
                aria-hidden="true"
                tabIndex={-1}
              />
            </span>
            <h2>{titulo}</h2>
            <p>{dice}</p>
            <p className={styles.marcas}>
              {cambia && <span className={styles.cambia}>Con cambios sin publicar</span>}
              {fallas.length > 0 && <span className={styles.fallas}>{fallas.length} por arreglar</span>}
            </p>
            <Enlace to={`/organizadores/sitio/${id}`} className={buttonLook('outline')}>
              Editar<span className={styles.oculto}> {titulo}</span>
            </Enlace>
          </li>
        ))}
      </ul>
    </>
  )
}
