import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { data, useSearchParams } from 'react-router'
import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { valorEn } from '#app/cms/schema/edits.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import {
  describeScreen,
  documentsOf,
  readEditorContent,
  screenFaults,
  versionDe,
} from '#app/panel/editor/data.server.ts'
import { fieldKeyOf } from '#app/panel/editor/draft-queue.ts'
import { findScreen, type SiteScreen } from '#app/panel/editor/editable-screens.ts'
import { OrphanedConflicts } from '#app/panel/editor/fields/edit-conflict.tsx'
import { Field } from '#app/panel/editor/fields/field.tsx'
import { BackAndHelp } from '#app/panel/editor/handbook/back-and-help.tsx'
import { sectionOf } from '#app/panel/editor/handbook/sections.ts'
import { EditFormContext, useDraft } from '#app/panel/editor/use-draft.ts'
import { readChosenEdition } from '#app/panel/guards.server.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { Banner } from '#app/ui/primitives/banner.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import type { Route } from './+types/edit-form.page'
import styles from './edit-form.module.css'
import { LivePreview } from './live-preview.tsx'
import { SaveStatus } from './save-status.tsx'
import { useFramePolicy } from './use-frame-policy.ts'

export async function loader({ request, context, params }: Route.LoaderArgs) {
  const entrance = await checkLoginWall(request, context, 'sitio')
  if (!entrance.abierta) return null
  const screen = findScreen(params.pantalla)
  if (!screen) throw data('Esa pantalla no existe. Vuelve a «El sitio» y elígela de la lista.', { status: 404 })
  const editorContent = await readEditorContent(
    servicesOf(context).services.db,
    (await readChosenEdition(request, context)).anio,
  )
  const { publicados, borrador } = editorContent
  const documents = Object.fromEntries(
    documentsOf(screen).map((document) => [
      document,
      { version: versionDe(editorContent, document), valor: borrador.valores[document] },
    ]),
  )
  return {
    pantalla: screen,
    partes: describeScreen(screen),
    inicio: {
      anio: publicados.anio,
      pantalla: screen.id,
      documentos: documents,
      fallas: screenFaults(screen, editorContent),
      yo: entrance.sesion.correo,
    },
    rutas: pathsOf(screen, borrador.valores['maestros.yaml']),
    personas: candidatesOf(borrador.valores['candidatas.yaml']),
    publicados: documentsOf(screen).flatMap((document) => idsDe(publicados.valores[document])),
  }
}

const candidatesOf = (valor: unknown): [id: string, nombre: string][] => {
  const all = valorEn(valor, ['candidatas'])
  return (Array.isArray(all) ? all : []).map((una) => [String(valorEn(una, ['id'])), String(valorEn(una, ['nombre']))])
}

/** The addresses that a screen's live preview offers. */
function pathsOf({ id, ruta, titulo, otras = [] }: SiteScreen, maestros: unknown): { ruta: string; titulo: string }[] {
  const todos = id === 'maestros' ? valorEn(maestros, ['maestros']) : []
  const profiles = (Array.isArray(todos) ? todos : []).map((one) => String(valorEn(one, ['nombre']) ?? ''))
  return [
    { ruta, titulo },
    ...otras,
    ...profiles.filter((name) => slugOf(name)).map((name) => ({ ruta: `/maestros/${slugOf(name)}`, titulo: name })),
  ]
}

/** The ids within a document. */
function idsDe(valor: unknown): string[] {
  if (Array.isArray(valor)) return valor.flatMap(idsDe)
  if (typeof valor !== 'object' || valor === null) return []
  return Object.entries(valor).flatMap(([name, item]) => (name === 'id' ? [String(item)] : idsDe(item)))
}

/** The form keeps its own state, so that no revalidation throws away typed text. */
export const shouldRevalidate = ({ currentParams, nextParams }: { currentParams: object; nextParams: object }) =>
  JSON.stringify(currentParams) !== JSON.stringify(nextParams)

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) =>
  pageMeta({ pantalla: args.loaderData ? `${args.loaderData.pantalla.titulo}, El sitio` : 'El sitio' }, args)

export default function PantallaDelSitio({ loaderData }: Route.ComponentProps) {
  if (!loaderData) return null
  return <ScreenForm key={loaderData.pantalla.id} {...loaderData} />
}

type LoaderData = NonNullable<Route.ComponentProps['loaderData']>

function ScreenForm({ pantalla, partes, inicio, rutas, personas, publicados }: LoaderData) {
  const { pluma, vista } = useDraft(inicio)
  useFramePolicy()
  const form = useRef<HTMLDivElement>(null)
  const focusedKey = useFocusedKey(form, pluma.guardar)
  const faults = useMemo(
    () => new Map(vista.fallas.map(({ documento, campo, remedio }) => [fieldKeyOf(documento, campo), remedio])),
    [vista.fallas],
  )
  const [params] = useSearchParams()
  const [irA, setIrA] = useState(params.get('campo') ?? undefined)
  const onArrival = useCallback(() => setIrA(undefined), [])
  const editForm = { pluma, vista, fallas: faults, enFoco: focusedKey, irA, onLlegada: onArrival, personas, publicados }
  const { estado } = vista
  return (
    <EditFormContext value={editForm}>
      <BackAndHelp como={sectionOf(pantalla.id)} />
      <header className={styles.encabezado}>
        <h1>{pantalla.titulo}</h1>
        <SaveStatus estado={estado} />
      </header>
      {estado.clase === 'sin-sesion' && (
        <Banner tone="bad" message={estado.mensaje}>
          <a href="/organizadores" target="_blank" rel="noreferrer">
            Entrar, en otra pestaña
          </a>
        </Banner>
      )}
      {estado.clase === 'falla' && <Banner tone="bad" message={estado.mensaje} />}
      <OrphanedConflicts />
      <div className={styles.mesa}>
        <div className={styles.forma} ref={form} id="formulario">
          {partes.map(({ documento, campo = [], descriptor }) => (
            <Field
              key={fieldKeyOf(documento, campo)}
              descriptor={descriptor}
              documento={documento}
              campo={campo}
              nivel={partes.length > 1 ? 1 : 0}
              sinRotulo={partes.length === 1 && descriptor.clase === 'grupo'}
            />
          ))}
          {pantalla.id === 'candidatas' && (
            <p className={styles.retirar}>
              ¿Una de ellas ya no participa? <Enlace to="/organizadores/sitio/retirar">Retirar a una candidata</Enlace>
            </p>
          )}
        </div>
        <div className={styles.lado}>
          <LivePreview rutas={rutas} onIr={setIrA} />
        </div>
      </div>
      <PreviewToggle />
    </EditFormContext>
  )
}

/** @returns key of the field of the form that has the focus */
function useFocusedKey(form: React.RefObject<HTMLElement | null>, onLeave: () => void): string | undefined {
  const [focusedKey, setEnFoco] = useState<string>()
  useEffect(() => {
    const element = form.current
    if (!element) return
    const enter = ({ target }: FocusEvent) =>
      setEnFoco((target as HTMLElement).closest<HTMLElement>('[data-clave]')?.dataset.clave)
    const leave = () => {
      setEnFoco(undefined)
      onLeave()
    }
    element.addEventListener('focusin', enter)
    element.addEventListener('focusout', leave)
    return () => {
      element.removeEventListener('focusin', enter)
      element.removeEventListener('focusout', leave)
    }
  }, [form, onLeave])
  return focusedKey
}

/** On a phone the preview stands below the form: one button leads there and back. */
function PreviewToggle() {
  const [isThere, setIsThere] = useState(false)
  useEffect(() => {
    const preview = document.getElementById('vista')
    if (!preview) return
    const observer = new IntersectionObserver(([entry]) => setIsThere(entry!.isIntersecting), {
      rootMargin: '-45% 0px -45% 0px',
    })
    observer.observe(preview)
    return () => observer.disconnect()
  }, [])
  const before = useRef(0)
  const go = () => {
    if (isThere) window.scrollTo({ top: before.current })
    else {
      before.current = window.scrollY
      document.getElementById('vista')?.scrollIntoView()
    }
  }
  return (
    <p className={styles.saltar}>
      <Button look="outline" onClick={go}>
        {isThere ? '↑ Volver a lo que escribía' : '↓ Ver cómo queda'}
      </Button>
    </p>
  )
}
