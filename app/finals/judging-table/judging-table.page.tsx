import { useEffect, useState } from 'react'
import { data, useRevalidator } from 'react-router'
import { autorDe } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { abrirPuerta, requireConfirmacion, requireOrganizacion } from '#app/accounts/sign-in/login-wall.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { type Services, servicesOf } from '#app/core/http/services.server.ts'
import { cuadroDe } from '#app/core/text/qr-code.server.ts'
import { SIN_ESPACIO, STATUS_SIN_ESPACIO, unlessFull } from '#app/core/uploads/disk-space.server.ts'
import type { HechoDeFinal } from '#app/finals/record/append-record-entry.server.ts'
import { loadParaAbrir, readActa } from '#app/finals/record/data.server.ts'
import { cerrarTelefono, hacerEnlace } from '#app/finals/record/judge-links.server.ts'
import {
  abrirFinal,
  abrirRonda,
  anularFinal,
  cerrarRonda,
  publicarActa,
  reabrirHoja,
  retirarDeFinal,
  sellarActa,
} from '#app/finals/record/mutations.server.ts'
import { MOTIVOS } from '#app/finals/record/record-entry-rules.ts'
import type { EnlaceDeJuez } from '#app/finals/record/schema.ts'
import { Banner } from '#app/ui/primitives/banner.tsx'
import type { Route } from './+types/judging-table.page'
import { readMesa } from './data.server.ts'
import { Cierre } from './final-order.tsx'
import styles from './judging-table.module.css'
import { ElSitio, Jurado, Preparar } from './jury-and-rules.tsx'
import { Enlaces } from './new-links.tsx'
import { Rondas } from './rounds.tsx'

export async function loader({ request, context }: Route.LoaderArgs) {
  const entrada = await abrirPuerta(request, context, 'final')
  // The frame shows the door instead of this screen.
  if (!entrada.abierta) return null
  const mesa = await readMesa(servicesOf(context).services)
  return { ...mesa, escribe: may(entrada.sesion.rol, 'sitio') }
}

const ALTERADA =
  'El acta de la final ya no es la que el sitio selló: alguien la cambió en la base de datos. No se le agrega nada. Avisa a quien cuida el servidor.'

/** What must not be done by whoever finds the table alone; a link lets somebody score. */
const CON_CLAVE = ['enlace', 'enlaces', 'abrir', 'reabrir', 'retirar', 'anular', 'sellar', 'publicar', 'ocultar']

export async function action({ request, context }: Route.ActionArgs) {
  const sesion = await requireOrganizacion(request, context, 'final')
  const { services } = servicesOf(context)
  const form = await request.formData()
  const text = (name: string) => String(form.get(name) ?? '')
  const [hacer, ronda, juez] = [text('hacer'), Number(text('ronda')) || 0, Number(text('juez')) || 0]
  // A round that is closed without a sheet never gets it back.
  const sinHojas = hacer === 'cerrar-ronda' && motivosDe(form).size > 0
  if (sinHojas || CON_CLAVE.includes(hacer)) await requireConfirmacion(request, context, sesion, form)
  const autor = { ...autorDe(context, sesion), quien: sesion.userId }
  const { edicion } = await loadParaAbrir()
  const motivo = text('motivo')
  const refuse = (mensaje: string, status = 422) =>
    data({ ok: false as const, mensaje, hacer, juez, motivo, enlaces: undefined }, { status })
  const done = (mensaje: string, enlaces?: EnlaceDeJuez[]) => ({
    ...{ ok: true as const, mensaje, enlaces, hacer, juez: 0, motivo: '' },
  })
  const steps: Record<string, { run(): Promise<HechoDeFinal>; dicho: string }> = {
    abrir: { run: () => abrirFinal(services, autor), dicho: 'La final está abierta, y sus reglas quedaron selladas.' },
    'abrir-ronda': {
      run: () => abrirRonda(services, edicion, ronda, autor),
      dicho: 'Ronda abierta: ya aparece en los teléfonos del jurado.',
    },
    'cerrar-ronda': {
      run: () => cerrarRonda(services, edicion, ronda, motivosDe(form), autor),
      dicho: 'Ronda cerrada. Abajo está el orden.',
    },
    reabrir: {
      run: () => reabrirHoja(services, edicion, { ronda, juez, motivo }, autor),
      dicho: `La hoja quedó reabierta: el juez la corrige en su teléfono y la firma de nuevo.`,
    },
    retirar: {
      run: () => retirarDeFinal(services, edicion, { candidata: text('candidata'), motivo }, autor),
      dicho: 'Queda fuera de la final, y el acta dice por qué.',
    },
    anular: {
      run: () => anularFinal(services, edicion, motivo, autor),
      dicho: 'Lo que iba quedó anulado. Puedes abrir la final de nuevo.',
    },
    sellar: {
      run: () => sellarActa(services, edicion, autor),
      dicho: 'El acta está sellada. Imprime el orden aquí abajo.',
    },
  }
  const hecho = await unlessFull(services, async () => {
    if (hacer === 'enlace' || hacer === 'enlaces') return enlaces()
    if (hacer === 'cerrar-telefono') {
      await cerrarTelefono(services, edicion, juez, autor)
      return done('Ese teléfono ya no entra. Haz otro enlace cuando haga falta.')
    }
    if (hacer === 'publicar' || hacer === 'ocultar') {
      const publicada = await publicarActa(services, edicion, hacer === 'publicar', autor)
      if (!publicada.ok) return refuse(publicada.reason === 'alterada' ? ALTERADA : MOTIVOS[publicada.reason], 409)
      return done(
        hacer === 'publicar'
          ? 'El acta ya es pública: está en /final/acta.'
          : 'El acta ya no es pública: sólo se ve desde esta mesa.',
      )
    }
    const step = Object.hasOwn(steps, hacer) ? steps[hacer] : undefined
    if (!step) return refuse('Ese botón no se entendió. Recarga la página.')
    const said = await step.run()
    return said.ok ? done(step.dicho) : refuse(said.reason === 'alterada' ? ALTERADA : MOTIVOS[said.reason], 409)
  })
  if ('reason' in hecho) return refuse(SIN_ESPACIO, STATUS_SIN_ESPACIO)
  return hecho

  async function enlaces() {
    const { estado } = await readActa(services, edicion)
    if (estado.final?.cierre) return refuse(MOTIVOS.sellada, 409)
    const all = (await readMesa(services)).jurado
    const chosen =
      hacer === 'enlace' ? all.filter(({ numero }) => numero === juez) : all.filter(({ enlace }) => enlace === 'sin')
    const made: EnlaceDeJuez[] = []
    for (const { numero, nombre } of chosen) {
      const said = hacer === 'enlace' ? text('nombre') : text(`nombre-${numero}`)
      const link = await hacerEnlace(services, { juez: numero, nombre: said || nombre }, autor)
      if (link) made.push(enlaceDe(services, numero, said || nombre, link.llave))
    }
    if (made.length === 0) return refuse('Ese lugar del jurado no existe. Recarga la página.')
    return done(
      made.length === 1
        ? 'Enlace hecho. El teléfono que ese juez tenía antes ya no entra.'
        : `Enlaces hechos: ${made.length}. Se muestran una sola vez.`,
      made,
    )
  }
}

/** The key stands in the fragment: no server, proxy or preview of a message sees it. */
function enlaceDe({ settings }: Pick<Services, 'settings'>, juez: number, nombre: string, llave: string): EnlaceDeJuez {
  const url = `${settings.publicUrl}/jurado#${llave}`
  return { juez, nombre, url, cuadro: cuadroDe(url) }
}

const motivosDe = (form: FormData) =>
  new Map(
    [...form.entries()].flatMap(([name, value]) =>
      name.startsWith('sin-') ? [[Number(name.slice(4)), value] as const] : [],
    ),
  )

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'La final' }, args)

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

const LATIDO_MS = 3_000

/** Who has sent, and what came in, without pressing anything. */
function useVivo() {
  const { state, revalidate } = useRevalidator()
  useEffect(() => {
    const timer = setInterval(() => {
      if (state === 'idle' && document.visibilityState === 'visible') void revalidate()
    }, LATIDO_MS)
    return () => clearInterval(timer)
  }, [state, revalidate])
}

/** The notary's table on the night of the final. */
export default function MesaDeLaFinal({ loaderData, actionData }: Route.ComponentProps) {
  useVivo()
  // Every look at how things stand would take away what was said of the last press, and links that are shown once.
  const [hecho, setHecho] = useState(actionData)
  useEffect(() => {
    if (actionData) setHecho(actionData)
  }, [actionData])
  if (!loaderData) return null
  const mesa = loaderData
  const { final, reglas, alterado } = mesa
  return (
    <div className={styles.mesa}>
      <header className={styles.titular}>
        <h1>La noche de la final</h1>
      </header>
      {hecho && (
        <div className={styles.hecho} key={JSON.stringify(hecho.mensaje)}>
          <Banner tone={hecho.ok ? 'good' : 'bad'} message={hecho.mensaje} />
        </div>
      )}
      {alterado !== null && <Banner tone="bad" message={`${ALTERADA} La diferencia está en el asiento ${alterado}.`} />}
      {hecho?.enlaces && <Enlaces enlaces={hecho.enlaces} />}
      {reglas.rondas.length === 0 ? (
        <p className={styles.entrada}>
          Esta edición no tiene rondas de final. Se escriben en <ElSitio escribe={mesa.escribe} />, y al publicarlas
          aparecen aquí.
        </p>
      ) : (
        <>
          {final?.cierre && <Cierre mesa={mesa} />}
          {!final && <Jurado mesa={mesa} />}
          {!final && <Preparar mesa={mesa} />}
          {final && <Rondas mesa={mesa} fallida={hecho?.ok === false ? hecho : undefined} />}
          {final && !final.cierre && final.provisional && <Cierre mesa={mesa} />}
          {final && !final.cierre && <Jurado mesa={mesa} />}
        </>
      )}
    </div>
  )
}
