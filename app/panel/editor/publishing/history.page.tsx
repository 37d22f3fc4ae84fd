import { data, Form, useNavigation } from 'react-router'
import { autorDe } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { abrirPuerta, requireConfirmacion, requireOrganizacion } from '#app/accounts/sign-in/login-wall.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { regresa } from '#app/cms/publishing/mutations.server.ts'
import { readPublicacion, readUltima } from '#app/cms/publishing/publications.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { enReloj } from '#app/core/time/mexico-dates.ts'
import { SIN_ESPACIO, STATUS_SIN_ESPACIO, unlessFull } from '#app/core/uploads/disk-space.server.ts'
import { readPublicados } from '#app/panel/editor/data.server.ts'
import { Volver } from '#app/panel/editor/handbook/back-and-help.tsx'
import { readElegida } from '#app/panel/guards.server.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { Banner } from '#app/ui/primitives/banner.tsx'
import { Button, buttonLook } from '#app/ui/primitives/button.tsx'
import { separaVotos } from '#app/voting/ballot/mutations.server.ts'
import { hasBegun } from '#app/voting/tally/mutations.server.ts'
import type { Route } from './+types/history.page'
import { Cambios } from './change-list.tsx'
import { cambiosEntre } from './diff.ts'
import { readUltimas, sumasDe } from './history.server.ts'
import styles from './publish.module.css'

const EN_LA_LISTA = 40

const RESERVADO =
  'Esa publicación tiene otras fechas de la edición, otro acceso a la prensa, otras reglas de la votación u otra ganadora, y a ella regresa quien lleva todo el panel. Pídeselo.'

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await abrirPuerta(request, context, 'sitio')).abierta) return null
  const { services } = servicesOf(context)
  const { anio, valores, archivos } = await readPublicados(services.db, (await readElegida(request, context)).anio)
  const huella = (await readUltima(services.db, anio))?.huella
  const asked = Number(new URL(request.url).searchParams.get('con') ?? Number.NaN)
  const other = Number.isSafeInteger(asked) ? await readPublicacion(services.db, asked) : undefined
  const cambios = other?.edicion === anio ? cambiosEntre(valores, other.valores) : []
  return {
    ultimas: (await readUltimas(services.db, anio, EN_LA_LISTA)).map(({ huella: own, at, ...row }) => ({
      ...row,
      cuando: enReloj(at),
      esIgual: own === huella,
    })),
    con: other && { id: other.id, cambios, sumas: await sumasDe(services.db, cambios, archivos, other.archivos) },
  }
}

export async function action({ request, context }: Route.ActionArgs) {
  const sesion = await requireOrganizacion(request, context, 'sitio')
  const { services } = servicesOf(context)
  const form = await request.formData()
  const publicacion = Number(form.get('publicacion'))
  const refuse = (mensaje: string, status: number) => data({ ok: false as const, mensaje }, { status })
  if (!Number.isSafeInteger(publicacion) || publicacion < 1) return refuse('Elige una publicación de la lista.', 400)
  const hecho = await unlessFull(services, () =>
    regresa(
      services,
      {
        ...{ publicacion, nota: '', empezada: hasBegun },
        permission: {
          mayReserved: may(sesion.rol, 'edicion'),
          confirm: () => requireConfirmacion(request, context, sesion, form),
        },
        comprueba: (documentos) => {
          const { anio } = documentos['edicion.yaml']
          return separaVotos(services, { edicion: anio, ...documentos['candidatas.yaml'] })
        },
      },
      autorDe(context, sesion),
    ),
  )
  if (hecho.ok) return { ok: true as const, mensaje: 'Listo: el sitio vuelve a ese momento en unos segundos.' }
  if (hecho.reason === 'sin-espacio') return refuse(SIN_ESPACIO, STATUS_SIN_ESPACIO)
  if (hecho.reason === 'ocupado')
    return refuse('Se está publicando algo en este momento. Espera un poco y repítelo.', 409)
  if (hecho.reason === 'nada') return refuse('El sitio ya está así.', 409)
  if (hecho.reason === 'fallas')
    return refuse(`No se puede regresar a ésa: ${hecho.fallas.map(({ remedio }) => remedio).join('; ')}`, 422)
  if (hecho.reason === 'reservado') return refuse(RESERVADO, 403)
  return refuse('Esa publicación ya no existe. Elige otra de la lista.', 404)
}

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'
export { revalidateAfterClash as shouldRevalidate } from '#app/panel/rules.ts'

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Historia de publicaciones, El sitio' }, args)

const ORIGEN = {
  carpeta: 'Lo que trae el sitio',
  importada: 'Importada de una carpeta',
  panel: 'Publicada desde el panel',
  regreso: 'Regreso a una anterior',
}
const ESTADO = { preparando: 'Se está publicando', fallida: 'No se pudo publicar', publicada: '' }

/** Who published what and when, and the way back to any of it. */
export default function Publicaciones({ loaderData, actionData }: Route.ComponentProps) {
  const { state } = useNavigation()
  if (!loaderData) return null
  const { ultimas, con } = loaderData
  const [vigente] = ultimas.filter(({ estado }) => estado === 'publicada')
  return (
    <>
      <Volver como="publicaciones" />
      <h1>Historia de publicaciones</h1>
      {actionData && <Banner tone={actionData.ok ? 'good' : 'bad'} message={actionData.mensaje} />}
      <p className={styles.quienes}>
        «Regresar» vuelve a mostrar el sitio como estaba entonces. Nada se pierde: lo de ahora queda en esta lista, y tu
        borrador sigue como está. Si la votación ya empezó, su cierre tampoco cambia.
      </p>
      <ul className={styles.historia}>
        {ultimas.map(({ id, quien, cuando, origen, de, nota, estado, fallas, esIgual }) => (
          <li key={id} aria-labelledby={`p${id}`}>
            <h2 id={`p${id}`}>
              {cuando} · {ESTADO[estado] || ORIGEN[origen]}
            </h2>
            {id === vigente?.id && <span className={styles.vigente}>Es la que se ve</span>}
            <p>
              {quien ?? 'El sitio'}
              {de !== null && ` · como la número ${de}`}
              {nota && ` · «${nota}»`} · número {id}
            </p>
            {fallas?.map(({ campo, remedio }) => (
              <p key={campo}>{campo ? `${campo}: ${remedio}` : remedio}</p>
            ))}
            {estado === 'publicada' && !esIgual && (
              <div className={styles.botones}>
                <Form method="post">
                  <input type="hidden" name="publicacion" value={id} />
                  <Button
                    type="submit"
                    look={con?.id === id ? 'main' : 'outline'}
                    busy={state !== 'idle'}
                    aria-label={`Regresar a la número ${id}`}
                  >
                    Regresar
                  </Button>
                </Form>
                {con?.id !== id && (
                  <Enlace to={`/organizadores/sitio/publicaciones?con=${id}`} className={buttonLook('quiet')}>
                    Ver qué cambiaría
                  </Enlace>
                )}
              </div>
            )}
            {con?.id === id && <Cambios cambios={con.cambios} sumas={con.sumas} />}
          </li>
        ))}
      </ul>
    </>
  )
}
