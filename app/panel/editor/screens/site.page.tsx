import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { isEqual, valueAt } from '#app/cms/schema/field-path.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { describeParts, faultsOfScreen, readEditorContent } from '#app/panel/editor/data.server.ts'
import { fieldKeyOf } from '#app/panel/editor/draft-state.ts'
import { EDITABLE_SCREENS } from '#app/panel/editor/editable-screens.ts'
import { EditedYear } from '#app/panel/editor/edited-year.tsx'
import { HelpLink } from '#app/panel/editor/handbook/back-and-help.tsx'
import { PublishLink } from '#app/panel/editor/publish-link.tsx'
import { changesBetween } from '#app/panel/editor/publishing/diff.ts'
import { readChosenEdition } from '#app/panel/guards.server.ts'
import { buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import type { Route } from './+types/site.page'
import styles from './site.module.css'
import { useReloadOnFramePolicy } from './use-reload-on-frame-policy.ts'

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await checkLoginWall(request, context, 'sitio')).isOpen) return null
  const { year, edition } = await readChosenEdition(request, context)
  const editorContent = await readEditorContent(servicesOf(context).services.db, year)
  const { published, draft } = editorContent
  const screens = EDITABLE_SCREENS.map((screen) => ({
    ...screen,
    hasParts: describeParts(screen).length > 0,
    faults: faultsOfScreen(screen, editorContent),
    hasChanges: screen.parts.some(
      ({ documento, campo = [] }) =>
        !isEqual(valueAt(draft.values[documento], campo), valueAt(published.values[documento], campo)),
    ),
  }))
  return {
    edition,
    screens: screens.filter(({ hasParts }) => hasParts),
    changeCount: changesBetween(published.values, draft.values).length,
  }
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'El sitio' }, args)

export default function EditableScreensPage({ loaderData }: Route.ComponentProps) {
  useReloadOnFramePolicy()
  if (!loaderData) return null
  const { edition, screens, changeCount } = loaderData
  const faultyScreens = screens.filter(({ faults }) => faults.length > 0)
  return (
    <>
      <h1>El sitio</h1>
      <EditedYear edition={edition} />
      <p className={styles.lead}>
        Todo lo que ve quien visita el sitio se cambia aquí. Lo que escribes se guarda solo, como borrador: nadie más lo
        ve hasta que se publica.
      </p>
      <p className={styles.actions}>
        <PublishLink edition={edition} changeCount={changeCount} />
        <Link to="/organizadores/sitio/ver" className={buttonLook('outline')}>
          Ver el sitio así
        </Link>
        <Link to="/organizadores/sitio/publicaciones" className={buttonLook('quiet')}>
          Historia
        </Link>
        <Link to="/organizadores/sitio/ediciones" className={buttonLook('quiet')}>
          Ediciones por año
        </Link>
        <HelpLink section="sitio" />
      </p>
      {faultyScreens.length > 0 && (
        <section className={styles.faultyScreens} aria-labelledby="pendientes">
          <h2 id="pendientes">Por arreglar</h2>
          {faultyScreens.map(({ id, title, faults }) => (
            <div key={id}>
              <h3>{title}</h3>
              <ul>
                {faults.map(({ documento, campo, donde, remedio }) => (
                  <li key={fieldKeyOf(documento, campo)}>
                    <Link to={`/organizadores/sitio/${id}?campo=${encodeURIComponent(fieldKeyOf(documento, campo))}`}>
                      {donde}
                    </Link>
                    : {remedio}
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </section>
      )}
      <ul className={styles.screens}>
        {screens.map(({ id, title, summary, path, anchor, faults, hasChanges }) => (
          <li key={id}>
            <span className={styles.thumbnail} inert>
              <iframe
                src={`/organizadores/sitio/vista?publicado=si&ruta=${encodeURIComponent(path)}`}
                // A fragment in the address would scroll the panel, too.
                onLoad={({ currentTarget: { contentWindow } }) => {
                  const anchorElement = anchor && contentWindow?.document.querySelector(anchor)
                  if (anchorElement) contentWindow?.scrollTo(0, anchorElement.getBoundingClientRect().top)
                }}
                title={`${title}, como se ve ahora`}
                loading="lazy"
                aria-hidden="true"
                tabIndex={-1}
              />
            </span>
            <h2>{title}</h2>
            <p>{summary}</p>
            <p className={styles.badges}>
              {hasChanges && <span className={styles.hasChanges}>Con cambios sin publicar</span>}
              {faults.length > 0 && <span className={styles.faultCount}>{faults.length} por arreglar</span>}
            </p>
            <Link to={`/organizadores/sitio/${id}`} className={buttonLook('outline')}>
              Editar<span className="visually-hidden"> {title}</span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}
