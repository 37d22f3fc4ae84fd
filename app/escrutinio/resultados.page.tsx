import { useEffect, useState } from 'react'
import { data, useRevalidator } from 'react-router'
import { listAjustes, readAjustes } from '#app/ajustes/data.server.ts'
import { cabeza } from '#app/contenido/cabeza.ts'
import { loadEdicion } from '#app/contenido/contenido.server.ts'
import { cuentasOf } from '#app/cuentas/guards.server.ts'
import { abrirPuerta, accionDePuerta, requireOrganizacion } from '#app/cuentas/puerta.server.ts'
import { Puerta } from '#app/cuentas/puerta.tsx'
import { entrarOrRechazo } from '#app/cuentas/rechazo.ts'
import { Salir } from '#app/cuentas/salir.tsx'
import { useSesionAbierta } from '#app/cuentas/sesion-abierta.ts'
import { servicesOf } from '#app/platform/services.server.ts'
import { loadEleccion } from '#app/popularidad/data.server.ts'
import { isVotacionAbierta } from '#app/popularidad/rules.ts'
import { readRecibo } from '#app/popularidad/schema.ts'
import { Ir } from '#app/ui/ir.tsx'
import type { Route } from './+types/resultados.page'
import { Cadena } from './cadena.tsx'
import {
  countDesechables,
  listAnulaciones,
  listRafagas,
  readActa,
  readHoras,
  readRecuento,
  readResultados,
} from './data.server.ts'
import { Dicho, type Hecho } from './dicho.tsx'
import { Graficas } from './graficas.tsx'
import { type Anulables, annulVotes, closeVote, openVote, proclaimGanadora } from './mutations.server.ts'
import { Proclamacion } from './proclamacion.tsx'
import { Rafagas } from './rafagas.tsx'
import { recount } from './recuento.server.ts'
import styles from './resultados.module.css'
import { maySeal } from './rules.ts'
import { type Cierre, PALABRAS_ESCRUTINIO, type Resultados } from './schema.ts'
import { Tabla } from './tabla.tsx'

export const handle = { noindex: true, prefetch: false, sesion: true }

/** @source specification §2.15 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const entrada = await abrirPuerta(request, context, 'resultados')
  if (!entrada.abierta) return { puerta: entrada.puerta }
  const { services } = servicesOf(context)
  const { db, clock } = services
  const eleccion = await loadEleccion()
  const { edicion, cierre } = eleccion
  const { candidatas, popularidad } = await loadEdicion()
  const [resultados, horas, rafagas, desechables, anulaciones, recuento, apertura, acta, ajustes, puestos] =
    await Promise.all([
      readResultados(services, eleccion),
      readHoras(db, eleccion),
      listRafagas(db, edicion),
      countDesechables(db, edicion),
      listAnulaciones(db, edicion),
      readRecuento(db, edicion),
      readActa(db, edicion, 'apertura'),
      readActa(db, edicion, 'cierre'),
      readAjustes(db),
      listAjustes(db, edicion),
    ])
  const puesto = puestos['votacion.ganadora']
  return {
    puerta: undefined,
    anio: edicion,
    cierre,
    sellable: maySeal(cierre, clock.now()),
    candidatas: candidatas.map(({ nombre, tono, galeria }) => ({ nombre, tono, retrato: galeria[0]! })),
    proclamacion: {
      puesta: ajustes['votacion.ganadora'],
      version: puesto?.version ?? 0,
      quien: puesto?.quien,
      at: puesto?.at.toISOString(),
      /** Whom the content names, while the panel names nobody. */
      escrita: popularidad.ganadora?.candidata,
    },
    resultados,
    horas,
    rafagas,
    desechables,
    anulaciones: anulaciones.map((one) => ({ ...one, at: one.at.toISOString() })),
    recuento: recuento && { ...recuento, at: recuento.at.toISOString() },
    apertura: apertura && { at: apertura.at.toISOString(), sello: apertura.sello, propia: apertura.quien !== null },
    acta: acta && { at: acta.at.toISOString(), sello: acta.sello, cierre: JSON.parse(acta.contenido) as Cierre },
  }
}

export async function action({ request, context }: Route.ActionArgs) {
  const answer = await accionDePuerta(request, context)
  if (answer) return answer
  const sesion = await requireOrganizacion(request, context)
  const { services, facts } = servicesOf(context)
  const eleccion = await loadEleccion()
  const autor = { quien: sesion.userId, desde: cuentasOf(context).traceOf(facts.client) }
  const form = await request.formData()
  const text = (name: string) => String(form.get(name) ?? '').slice(0, 2_000)
  const hacer = text('hacer')
  const say = (hecho: string, falla?: string) => data({ hacer, hecho, falla }, { status: falla ? 400 : 200 })
  const outcome = (done: Awaited<ReturnType<typeof openVote>>, hecho: string) =>
    done.ok ? say(hecho) : say('', PALABRAS_ESCRUTINIO[done.reason])
  switch (hacer) {
    case 'recontar': {
      const { fallas } = await recount(services, eleccion.edicion)
      return fallas.length === 0
        ? say('Recuento hecho: todo coincide.')
        : data({ hacer, hecho: '', falla: 'Recuento hecho: hay diferencias.' })
    }
    case 'acta-cero':
      return outcome(await openVote(services, eleccion, autor), 'El acta de cero quedó levantada.')
    case 'cerrar':
      if (!form.has('seguro')) return say('', PALABRAS_ESCRUTINIO.seguro)
      return outcome(await closeVote(services, eleccion, autor), 'El acta de cierre quedó sellada y publicada.')
    case 'anular': {
      const cuales = anulables(text)
      if (!cuales) return say('', PALABRAS_ESCRUTINIO.recibo)
      return outcome(
        await annulVotes(services, eleccion, { ...cuales, motivo: text('motivo') }, autor),
        cuales.clase === 'recibo' ? 'El voto quedó anulado.' : 'Los votos quedaron anulados.',
      )
    }
    case 'proclamar':
    case 'retirar': {
      const given = (name: string) => text(name).trim().replace(/\s+/g, ' ') || undefined
      const puesta =
        hacer === 'retirar'
          ? undefined
          : {
              candidata: text('candidata'),
              nombreCorto: given('nombreCorto'),
              mensaje: given('mensaje'),
              facebook: given('facebook'),
              instagram: given('instagram'),
            }
      const done = await proclaimGanadora(services, eleccion, { puesta, version: Number(text('version')) || 0 }, autor)
      if (done.ok)
        return say(
          puesta ? `${puesta.candidata} ya está proclamada en Miss Popularidad.` : 'La proclamación quedó retirada.',
        )
      if (done.reason === 'version')
        return say(
          '',
          `Mientras tanto ${done.quien ?? 'otra persona'} cambió la proclamación. Revísala y vuelve a intentarlo.`,
        )
      return say('', done.reason === 'valor' ? done.message : PALABRAS_ESCRUTINIO[done.reason])
    }
    default:
      return say('', 'Ese botón ya no está. Recarga la página.')
  }
}

/** @returns undefined: what was typed is no receipt */
function anulables(text: (name: string) => string): Anulables | undefined {
  const clase = text('clase')
  if (clase === 'desechable') return { clase }
  if (clase === 'recibo') {
    const recibo = readRecibo(text('recibo'))
    return recibo === undefined ? undefined : { clase, recibo }
  }
  const tramo = new Date(text('tramo') || Number.NaN)
  return {
    clase: clase === 'dominio' ? clase : 'red',
    origen: text('origen'),
    tramo: Number.isNaN(tramo.getTime()) ? undefined : tramo,
  }
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  entrarOrRechazo(request, serverAction)

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Resultados de la votación' }, args)

export default function ResultadosDeLaVotacion({ loaderData, actionData }: Route.ComponentProps) {
  useSesionAbierta(loaderData.puerta === undefined)
  if (loaderData.puerta)
    return (
      <Puerta
        puerta={loaderData.puerta}
        titulo="Resultados"
        rechazo={actionData && 'mensaje' in actionData ? actionData : undefined}
      />
    )
  return <Panel {...loaderData} dicho={actionData && 'hecho' in actionData ? actionData : undefined} />
}

type Cargado = Exclude<Route.ComponentProps['loaderData'], { puerta: { estado: string } }>

/** What the sections below have a button for: each says its outcome itself. */
const SUYOS = ['acta-cero', 'recontar', 'cerrar', 'anular', 'proclamar', 'retirar']

function Panel({ dicho, ...cargado }: Cargado & { dicho: Hecho | undefined }) {
  const { anio, cierre, candidatas, horas } = cargado
  const [resultados, vivo] = useVivo(cargado.resultados)
  // What is shown may be newer than what was loaded.
  const abierta = isVotacionAbierta(cierre, new Date(resultados.leidos))
  return (
    <div className={styles.resultados}>
      <header className={styles.cabeza}>
        <div>
          <p className={styles.rotulo}>Señorita Popularidad {anio}</p>
          <h1>Resultados</h1>
        </div>
        <div className={styles.salidas}>
          <Ir a="/" look="outline">
            Regresar al inicio
          </Ir>
          <Salir look="outline" />
        </div>
      </header>
      {dicho && !SUYOS.includes(dicho.hacer) && <Dicho dicho={dicho} de={[dicho.hacer]} />}
      <Tabla resultados={resultados} candidatas={candidatas} vivo={abierta ? vivo : undefined} />
      <Graficas horas={horas} candidatas={candidatas} />
      <Rafagas {...cargado} dicho={dicho} cerrada={cargado.acta !== undefined} />
      <Cadena {...cargado} abierta={abierta} dicho={dicho} />
      {cargado.acta && <Proclamacion {...cargado} dicho={dicho} acta={cargado.acta.cierre} />}
    </div>
  )
}

/** Graphs and the rest follow at this pace. */
const RELOAD_MS = 60_000

/** Results as they come, and how long ago the last came, in seconds; undefined: not live. */
function useVivo(first: Resultados): [Resultados, number | undefined] {
  const [resultados, setResultados] = useState(first)
  const [age, setAge] = useState<number>()
  const { revalidate } = useRevalidator()
  useEffect(() => setResultados(first), [first])
  useEffect(() => {
    let lastMs = 0
    const source = new EventSource('/misspopularidad-resultados/vivo')
    source.addEventListener('message', ({ data }) => {
      lastMs = performance.now()
      setAge(0)
      setResultados(JSON.parse(data) as Resultados)
    })
    const clock = setInterval(() => {
      if (lastMs === 0) return
      const seconds = Math.floor((performance.now() - lastMs) / 1_000)
      setAge(seconds < 30 ? seconds : undefined)
    }, 1_000)
    const reload = setInterval(() => {
      if (document.visibilityState === 'visible') void revalidate()
    }, RELOAD_MS)
    return () => {
      source.close()
      clearInterval(clock)
      clearInterval(reload)
    }
  }, [revalidate])
  return [resultados, age]
}
