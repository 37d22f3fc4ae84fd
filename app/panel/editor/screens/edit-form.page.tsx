import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { data, useSearchParams } from 'react-router'
import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { listWithdrawnIds } from '#app/cms/publishing/withdrawal.server.ts'
import { valueAt } from '#app/cms/schema/field-path.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import {
  describeParts,
  documentNamesOf,
  documentVersionOf,
  faultsOfScreen,
  readEditorContent,
} from '#app/panel/editor/data.server.ts'
import { fieldKeyOf } from '#app/panel/editor/draft-state.ts'
import { EditFormContext, useDraft } from '#app/panel/editor/edit-form-context.ts'
import { type EditableScreen, findScreen } from '#app/panel/editor/editable-screens.ts'
import { EditedYear } from '#app/panel/editor/edited-year.tsx'
import { RemovalNotices } from '#app/panel/editor/fields/edit-conflict.tsx'
import { EditorField } from '#app/panel/editor/fields/editor-field.tsx'
import { BackAndHelp } from '#app/panel/editor/handbook/back-and-help.tsx'
import { handbookSectionOf } from '#app/panel/editor/handbook/handbook-sections.ts'
import { PublishLink } from '#app/panel/editor/publish-link.tsx'
import { changesBetween } from '#app/panel/editor/publishing/diff.ts'
import { readChosenEdition } from '#app/panel/guards.server.ts'
import { Banner } from '#app/ui/components/banner.tsx'
import { Button } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import type { Route } from './+types/edit-form.page'
import styles from './edit-form.module.css'
import { LivePreview } from './live-preview.tsx'
import { SaveStatus } from './save-status.tsx'
import { useReloadOnFramePolicy } from './use-reload-on-frame-policy.ts'

export async function loader({ request, context, params }: Route.LoaderArgs) {
  if (!(await checkLoginWall(request, context, 'sitio')).isOpen) return null
  const screen = findScreen(params.pantalla)
  if (!screen) throw data('Esa pantalla no existe. Vuelve a «El sitio» y elígela de la lista.', { status: 404 })
  const { year, edition } = await readChosenEdition(request, context)
  const { services } = servicesOf(context)
  const editorContent = await readEditorContent(services.db, year)
  const { published, draft } = editorContent
  const documents = Object.fromEntries(
    documentNamesOf(screen).map((document) => [
      document,
      { version: documentVersionOf(editorContent, document), valor: draft.values[document] },
    ]),
  )
  return {
    edition,
    screen,
    parts: describeParts(screen),
    draftInit: {
      year: published.year,
      screenId: screen.id,
      documents,
      faults: faultsOfScreen(screen, editorContent),
      changeCount: changesBetween(published.values, draft.values).length,
    },
    previewRoutes: previewRoutesOf(screen, draft.values['maestros.yaml']),
    candidates: candidatesOf(draft.values['candidatas.yaml']),
    publishedIds: documentNamesOf(screen).flatMap((document) => collectIds(published.values[document])),
    withdrawnIds: await listWithdrawnIds(services.db, year),
  }
}

const candidatesOf = (value: unknown): [id: string, nombre: string][] => {
  const candidates = valueAt(value, ['candidatas'])
  return (Array.isArray(candidates) ? candidates : []).map((candidate) => [
    String(valueAt(candidate, ['id'])),
    String(valueAt(candidate, ['nombre'])),
  ])
}

/** Lists the public screens that a live preview offers. @param teachersDocument maestros.yaml, since each teacher has a profile */
function previewRoutesOf(
  { id, path, title, otherPaths = [] }: EditableScreen,
  teachersDocument: unknown,
): { path: string; title: string }[] {
  const teacherList = id === 'maestros' ? valueAt(teachersDocument, ['maestros']) : []
  const teacherNames = (Array.isArray(teacherList) ? teacherList : []).map((teacher) =>
    String(valueAt(teacher, ['nombre']) ?? ''),
  )
  return [
    { path, title },
    ...otherPaths,
    ...teacherNames.filter((name) => slugOf(name)).map((name) => ({ path: `/maestros/${slugOf(name)}`, title: name })),
  ]
}

function collectIds(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(collectIds)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => (name === 'id' ? [String(item)] : collectIds(item)))
}

/** Prevents a revalidation of the same screen, which after the session's end would remove the form with its typed text. */
export const shouldRevalidate = ({ currentParams, nextParams }: { currentParams: object; nextParams: object }) =>
  JSON.stringify(currentParams) !== JSON.stringify(nextParams)

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) =>
  pageMeta({ screen: args.loaderData ? `${args.loaderData.screen.title}, El sitio` : 'El sitio' }, args)

export default function EditFormPage({ loaderData }: Route.ComponentProps) {
  if (!loaderData) return null
  return <ScreenForm key={loaderData.screen.id} {...loaderData} />
}

type LoaderData = NonNullable<Route.ComponentProps['loaderData']>

function ScreenForm({ edition, screen, parts, draftInit, previewRoutes, ...lists }: LoaderData) {
  const { draftClient, view } = useDraft(draftInit)
  useReloadOnFramePolicy()
  const form = useRef<HTMLDivElement>(null)
  const focusedKey = useFocusedKey(form, draftClient.flush)
  const faults = useMemo(
    () => new Map(view.faults.map(({ documento, campo, remedio }) => [fieldKeyOf(documento, campo), remedio])),
    [view.faults],
  )
  const [params] = useSearchParams()
  const [requestedKey, setRequestedKey] = useState(params.get('campo') ?? undefined)
  const onFocused = useCallback(() => setRequestedKey(undefined), [])
  const editForm = {
    draftClient,
    view,
    faults,
    focusedKey,
    requestedKey,
    onFocused,
    ...lists,
  }
  const { saveState } = view
  return (
    <EditFormContext value={editForm}>
      <BackAndHelp section={handbookSectionOf(screen.id)} />
      <header className={styles.headline}>
        <h1>{screen.title}</h1>
        <PreviewToggle />
        <EditedYear edition={edition} isBrief />
        <SaveStatus
          saveState={saveState}
          hasConflict={Object.values(view.documents).some(({ conflicts }) => conflicts.length > 0)}
        />
        <PublishLink edition={edition} changeCount={view.changeCount} className={styles.publish} />
      </header>
      {saveState.kind === 'signedOut' && (
        <Banner tone="bad" message={saveState.message}>
          <a href="/organizadores" target="_blank" rel="noreferrer">
            Entrar, en otra pestaña
          </a>
        </Banner>
      )}
      {saveState.kind === 'failed' && <Banner tone="bad" message={saveState.message} />}
      <RemovalNotices />
      <div className={styles.columns}>
        <div className={styles.form} ref={form} id="formulario">
          {screen.id === 'convocatorias' && edition.isCurrent && (
            <p className={styles.otherTask}>
              ¿Es la del año que viene? Prepárala en <Link to="/organizadores/sitio/ediciones">Ediciones por año</Link>.
            </p>
          )}
          {parts.map(({ documento, campo = [], descriptor }) => (
            <EditorField
              key={fieldKeyOf(documento, campo)}
              descriptor={descriptor}
              documentName={documento}
              path={campo}
              level={parts.length > 1 ? 1 : 0}
              isUnlabelled={parts.length === 1 && descriptor.kind === 'group'}
            />
          ))}
          {screen.id === 'candidatas' && lists.candidates.length > 0 && (
            <p className={joinClasses(styles.otherTask, styles.withdraw)}>
              ¿Una de ellas ya no participa? <Link to="/organizadores/sitio/retirar">Retirar a una candidata</Link>
            </p>
          )}
        </div>
        <div className={styles.preview}>
          <LivePreview routes={previewRoutes} onFieldRequest={setRequestedKey} />
        </div>
      </div>
    </EditFormContext>
  )
}

/** Returns the key of a field, or of a list's item where its own buttons have the focus. */
const keyOf = (element: HTMLElement | null) => element?.dataset.fieldKey ?? element?.dataset.itemKey

/** Returns the key of the focused field. @param onLeave called whenever a field loses the focus */
function useFocusedKey(form: React.RefObject<HTMLElement | null>, onLeave: () => void): string | undefined {
  const [focusedKey, setFocusedKey] = useState<string>()
  useEffect(() => {
    const element = form.current
    if (!element) return
    const onFocusIn = ({ target }: FocusEvent) =>
      setFocusedKey(keyOf((target as HTMLElement).closest<HTMLElement>('[data-field-key], [data-item-key]')))
    const onFocusOut = () => {
      setFocusedKey(undefined)
      onLeave()
    }
    element.addEventListener('focusin', onFocusIn)
    element.addEventListener('focusout', onFocusOut)
    return () => {
      element.removeEventListener('focusin', onFocusIn)
      element.removeEventListener('focusout', onFocusOut)
    }
  }, [form, onLeave])
  return focusedKey
}

/** Shows, on a phone, a button that scrolls to the preview below the form and back. */
function PreviewToggle() {
  const [isInView, setIsInView] = useState(false)
  useEffect(() => {
    const preview = document.getElementById('vista')
    if (!preview) return
    const observer = new IntersectionObserver(([entry]) => setIsInView(entry!.isIntersecting), {
      rootMargin: '-45% 0px -45% 0px',
    })
    observer.observe(preview)
    return () => observer.disconnect()
  }, [])
  const savedScrollY = useRef(0)
  const togglePreview = () => {
    if (isInView) window.scrollTo({ top: savedScrollY.current })
    else {
      savedScrollY.current = window.scrollY
      document.getElementById('vista')?.scrollIntoView()
    }
  }
  return (
    <p className={styles.previewToggle}>
      <Button look="outline" onClick={togglePreview}>
        {isInView ? '↑ Volver a lo que escribía' : '↓ Ver cómo queda'}
      </Button>
    </p>
  )
}
