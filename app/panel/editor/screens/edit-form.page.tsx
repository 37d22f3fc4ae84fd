import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { data, useSearchParams } from 'react-router'
import { abrirPuerta } from '#app/accounts/sign-in/login-wall.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { valorEn } from '#app/cms/schema/edits.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import {
  describirPantalla,
  documentosDe,
  fallasDePantalla,
  readRedaccion,
  versionDe,
} from '#app/panel/editor/data.server.ts'
import { claveDe } from '#app/panel/editor/draft-queue.ts'
import { type Pantalla, pantallaDe } from '#app/panel/editor/editable-screens.ts'
import { ChoquesSinLugar } from '#app/panel/editor/fields/edit-conflict.tsx'
import { Campo } from '#app/panel/editor/fields/field.tsx'
import { Volver } from '#app/panel/editor/handbook/back-and-help.tsx'
import { seccionDe } from '#app/panel/editor/handbook/sections.ts'
import { ManoContext, usePluma } from '#app/panel/editor/use-draft.ts'
import { readElegida } from '#app/panel/guards.server.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { Banner } from '#app/ui/primitives/banner.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import type { Route } from './+types/edit-form.page'
import styles from './edit-form.module.css'
import { VistaDePantalla } from './live-preview.tsx'
import { EstadoDelBorrador } from './save-status.tsx'
import { useMarcos } from './use-frame-policy.ts'

export async function loader({ request, context, params }: Route.LoaderArgs) {
  const entrada = await abrirPuerta(request, context, 'sitio')
  if (!entrada.abierta) return null
  const pantalla = pantallaDe(params.pantalla)
  if (!pantalla) throw data('Esa pantalla no existe. Vuelve a «El sitio» y elígela de la lista.', { status: 404 })
  const redaccion = await readRedaccion(servicesOf(context).services.db, (await readElegida(request, context)).anio)
  const { publicados, borrador } = redaccion
  const documentos = Object.fromEntries(
    documentosDe(pantalla).map((documento) => [
      documento,
      { version: versionDe(redaccion, documento), valor: borrador.valores[documento] },
    ]),
  )
  return {
    pantalla,
    partes: describirPantalla(pantalla),
    inicio: {
      anio: publicados.anio,
      pantalla: pantalla.id,
      documentos,
      fallas: fallasDePantalla(pantalla, redaccion),
      yo: entrada.sesion.correo,
    },
    rutas: rutasDe(pantalla, borrador.valores['maestros.yaml']),
    personas: candidatasDe(borrador.valores['candidatas.yaml']),
    publicados: documentosDe(pantalla).flatMap((documento) => idsDe(publicados.valores[documento])),
  }
}

const candidatasDe = (valor: unknown): [id: string, nombre: string][] => {
  const todas = valorEn(valor, ['candidatas'])
  return (Array.isArray(todas) ? todas : []).map((una) => [
    String(valorEn(una, ['id'])),
    String(valorEn(una, ['nombre'])),
  ])
}

/** The addresses at which a screen's form is looked at. */
function rutasDe({ id, ruta, titulo, otras = [] }: Pantalla, maestros: unknown): { ruta: string; titulo: string }[] {
  const todos = id === 'maestros' ? valorEn(maestros, ['maestros']) : []
  const perfiles = (Array.isArray(todos) ? todos : []).map((uno) => String(valorEn(uno, ['nombre']) ?? ''))
  return [
    { ruta, titulo },
    ...otras,
    ...perfiles
      .filter((nombre) => slugOf(nombre))
      .map((nombre) => ({ ruta: `/maestros/${slugOf(nombre)}`, titulo: nombre })),
  ]
}

/** The ids within a document. */
function idsDe(valor: unknown): string[] {
  if (Array.isArray(valor)) return valor.flatMap(idsDe)
  if (typeof valor !== 'object' || valor === null) return []
  return Object.entries(valor).flatMap(([name, item]) => (name === 'id' ? [String(item)] : idsDe(item)))
}

/** The form answers for itself: what is typed is never thrown away by a look from elsewhere. */
export const shouldRevalidate = ({ currentParams, nextParams }: { currentParams: object; nextParams: object }) =>
  JSON.stringify(currentParams) !== JSON.stringify(nextParams)

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) =>
  cabeza({ pantalla: args.loaderData ? `${args.loaderData.pantalla.titulo}, El sitio` : 'El sitio' }, args)

export default function PantallaDelSitio({ loaderData }: Route.ComponentProps) {
  if (!loaderData) return null
  return <Formulario key={loaderData.pantalla.id} {...loaderData} />
}

type Cargado = NonNullable<Route.ComponentProps['loaderData']>

function Formulario({ pantalla, partes, inicio, rutas, personas, publicados }: Cargado) {
  const { pluma, vista } = usePluma(inicio)
  useMarcos()
  const form = useRef<HTMLDivElement>(null)
  const enFoco = useEnFoco(form, pluma.guardar)
  const fallas = useMemo(
    () => new Map(vista.fallas.map(({ documento, campo, remedio }) => [claveDe(documento, campo), remedio])),
    [vista.fallas],
  )
  const [params] = useSearchParams()
  const [irA, setIrA] = useState(params.get('campo') ?? undefined)
  const onLlegada = useCallback(() => setIrA(undefined), [])
  const mano = { pluma, vista, fallas, enFoco, irA, onLlegada, personas, publicados }
  const { estado } = vista
  return (
    <ManoContext value={mano}>
      <Volver como={seccionDe(pantalla.id)} />
      <header className={styles.encabezado}>
        <h1>{pantalla.titulo}</h1>
        <EstadoDelBorrador estado={estado} />
      </header>
      {estado.clase === 'sin-sesion' && (
        <Banner tone="bad" message={estado.mensaje}>
          <a href="/organizadores" target="_blank" rel="noreferrer">
            Entrar, en otra pestaña
          </a>
        </Banner>
      )}
      {estado.clase === 'falla' && <Banner tone="bad" message={estado.mensaje} />}
      <ChoquesSinLugar />
      <div className={styles.mesa}>
        <div className={styles.forma} ref={form} id="formulario">
          {partes.map(({ documento, campo = [], descriptor }) => (
            <Campo
              key={claveDe(documento, campo)}
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
          <VistaDePantalla rutas={rutas} onIr={setIrA} />
        </div>
      </div>
      <VerVista />
    </ManoContext>
  )
}

/** @returns key of the field of the form that has the focus */
function useEnFoco(form: React.RefObject<HTMLElement | null>, onLeave: () => void): string | undefined {
  const [enFoco, setEnFoco] = useState<string>()
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
  return enFoco
}

/** On a phone the preview stands below the form: one button leads there and back. */
function VerVista() {
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
