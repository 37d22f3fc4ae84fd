import { useState } from 'react'
import { data, isRouteErrorResponse } from 'react-router'
import { cuentasOf } from '#app/accounts/guards.server.ts'
import { Confirmar } from '#app/accounts/reauthentication/prompt.tsx'
import { useSesionAbierta } from '#app/accounts/sessions/browser-signals.ts'
import { Salir } from '#app/accounts/sessions/sign-out-button.tsx'
import {
  abrirPuerta,
  accionDePuerta,
  requireConfirmacion,
  requireOrganizacion,
} from '#app/accounts/sign-in/login-wall.server.ts'
import { Puerta } from '#app/accounts/sign-in/login-wall.tsx'
import { entrarOrRechazo } from '#app/accounts/sign-in/refusal.ts'
import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { listAjustes, readAjustes } from '#app/cms/settings/data.server.ts'
import { type Services, servicesOf } from '#app/core/http/services.server.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { Ir } from '#app/ui/primitives/go-button.tsx'
import { loadEleccion, proclaimedId, readReglas } from '#app/voting/election/data.server.ts'
import { isNotClosed } from '#app/voting/election/rules.ts'
import { maySeal } from '#app/voting/election/tally-rules.ts'
import { readCierreIfAny } from '#app/voting/record/schema.ts'
import {
  listAnulaciones,
  listLeaps,
  listMarcados,
  listRafagas,
  readActa,
  readHoras,
  readRecuento,
  readResultados,
  whoIsWho,
} from '#app/voting/tally/data.server.ts'
import { escrutinioOf } from '#app/voting/tally/guards.server.ts'
import { annulVotes, closeVote, openVote, proclaimGanadora } from '#app/voting/tally/mutations.server.ts'
import { recount } from '#app/voting/tally/recount.server.ts'
import { PALABRAS_ESCRUTINIO, type RespuestaDeEscrutinio } from '#app/voting/tally/schema.ts'
import type { Route } from './+types/results.page'
import { Rafagas } from './bursts.tsx'
import { type Desenlace, Dicho } from './button-outcome.tsx'
import { Cadena } from './chain-and-records.tsx'
import { Graficas } from './charts.tsx'
import { Origenes } from './flagged-origins.tsx'
import { Proclamacion } from './proclamation.tsx'
import styles from './results.module.css'
import { Tabla } from './totals-table.tsx'
import { useRecarga, useVivo } from './use-results.ts'

export const handle = { noindex: true, prefetch: false, sesion: true, resultados: true }

/**
 * When the count cannot be read, that is only logged (§8): the screen stands without it, and asks again.
 * @source §2.15
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const entrada = await abrirPuerta(request, context, 'resultados')
  if (!entrada.abierta) return { puerta: entrada.puerta }
  const { services, facts } = servicesOf(context)
  const { anio, fechas, candidatas } = await loadEdicion()
  return {
    puerta: undefined,
    marco: {
      anio,
      cierre: fechas.cierreVotacion,
      candidatas: candidatas.map(({ id, nombre, tono, galeria }) => ({ id, nombre, tono, retrato: galeria[0]! })),
    },
    contado: await readContado(services).catch((error: unknown) => {
      services.log.error({ id: facts.id, err: error }, 'the votes could not be read')
      return undefined
    }),
  }
}

/** Once the screen is alive, it also outlasts a line that is cut and a server that does not answer. */
export async function clientLoader({ serverLoader }: Route.ClientLoaderArgs) {
  try {
    return await serverLoader()
  } catch (error) {
    if (error instanceof Response || (isRouteErrorResponse(error) && error.status < 500)) throw error
    return { puerta: undefined, marco: undefined, contado: undefined }
  }
}

const ACTA_ILEGIBLE = 'El acta de cierre fue cambiada después de sellarse, y ya no se puede leer.'

/** Everything that the screen shows of the count. @throws when the database does not answer */
async function readContado(services: Services) {
  const { db, clock } = services
  const eleccion = await loadEleccion()
  const { edicion, cierre, candidatas } = eleccion
  const { popularidad } = await loadEdicion()
  const [resultados, horas, rafagas, leaps, marcados, anulaciones, recuento, apertura, sellada, ajustes, puestos] =
    await Promise.all([
      readResultados(services, eleccion),
      readHoras(db, eleccion),
      listRafagas(db, edicion),
      listLeaps(db, edicion),
      listMarcados(db, eleccion),
      listAnulaciones(db, edicion),
      readRecuento(db, edicion),
      readActa(db, edicion, 'apertura'),
      readActa(db, edicion, 'cierre'),
      readAjustes(db),
      listAjustes(db, edicion),
    ])
  const nameOf = (id: string | undefined) => candidatas.find((una) => una.id === id)?.nombre
  const puesta = ajustes['votacion.ganadora']
  const puesto = puestos['votacion.ganadora']
  const acta = sellada && readCierreIfAny(sellada.contenido)
  return {
    sellable: maySeal(cierre, clock.now()),
    proclamacion: {
      puesta: puesta && {
        ...puesta,
        nombre: nameOf(await proclaimedId(db, puesta.candidata)) ?? puesta.candidata,
      },
      version: puesto?.version ?? 0,
      quien: puesto?.quien,
      at: puesto?.at.toISOString(),
      /** The winner whom the content names, while the panel names nobody. */
      escrita: nameOf(popularidad.ganadora?.candidata),
    },
    resultados,
    horas,
    rafagas,
    leaps,
    marcados,
    reglas: (await readReglas(db, eleccion)).reglas,
    anulaciones: anulaciones.map((one) => ({ ...one, at: one.at.toISOString() })),
    recuento: recuento && { ...recuento, at: recuento.at.toISOString() },
    apertura: apertura && { at: apertura.at.toISOString(), sello: apertura.sello, propia: apertura.quien !== null },
    acta: sellada && {
      at: sellada.at.toISOString(),
      sello: sellada.sello,
      fallas: acta?.fallas ?? [ACTA_ILEGIBLE],
      contadas: acta ? await whoIsWho(db, eleccion, acta) : [],
    },
  }
}

/** Buttons that ask for the password again. */
const PELIGROSOS = ['cerrar', 'anular', 'anular-de-otra', 'proclamar', 'retirar']

export async function action({ request, context }: Route.ActionArgs) {
  const answer = await accionDePuerta(request, context)
  if (answer) return answer
  const form = await request.clone().formData()
  const text = (name: string) => typedText(String(form.get(name) ?? '')).slice(0, 2_000)
  const hacer = text('hacer')
  const sesion = await requireOrganizacion(request, context, hacer === 'recontar' ? 'resultados' : 'votos')
  const { services, facts } = servicesOf(context)
  const eleccion = await loadEleccion()
  const autor = { quien: sesion.userId, desde: cuentasOf(context).traceOf(facts.client) }
  if (PELIGROSOS.includes(hacer)) await requireConfirmacion(request, context, sesion, form)
  const say = (hecho: string, falla?: string) => data({ hacer, hecho, falla }, { status: falla ? 400 : 200 })
  const outcome = (done: RespuestaDeEscrutinio, hecho: string) =>
    done.ok ? say(hecho) : say('', PALABRAS_ESCRUTINIO[done.reason])
  switch (hacer) {
    case 'recontar': {
      const { fallas } = await recount(services, eleccion)
      return fallas.length === 0
        ? say('Recuento hecho: todo coincide.')
        : data({ hacer, hecho: '', falla: 'Recuento hecho: hay diferencias.' })
    }
    case 'acta-cero':
      return outcome(await openVote(services, eleccion, autor), 'El acta de cero quedó levantada.')
    case 'cerrar': {
      if (!form.has('seguro')) return say('', PALABRAS_ESCRUTINIO.seguro)
      const done = await closeVote(services, eleccion, autor)
      // A fault in writing the act's file is logged; the file is then made at the next request for it.
      if (done.ok) await escrutinioOf(context).actas.publish(done.acta)
      return outcome(done, 'El acta de cierre quedó sellada y publicada.')
    }
    case 'anular':
    case 'anular-de-otra': {
      if (!form.has('seguro')) return say('', PALABRAS_ESCRUTINIO.seguro)
      return outcome(
        await annulVotes(
          services,
          eleccion,
          { marca: Number(text('marca')) || 0, motivo: text('motivo'), spare: hacer === 'anular-de-otra' },
          autor,
        ),
        'Los votos quedaron anulados.',
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
      const nombre = eleccion.candidatas.find(({ id }) => id === puesta?.candidata)?.nombre
      if (done.ok)
        return say(puesta ? `${nombre} ya está proclamada en Miss Popularidad.` : 'La proclamación quedó retirada.')
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

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  entrarOrRechazo(request, serverAction)

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Resultados de la votación' }, args)

export const ErrorBoundary = () => (
  <div className={styles.resultados}>
    <Confirmar />
  </div>
)

export default function ResultadosDeLaVotacion({ loaderData, actionData }: Route.ComponentProps) {
  const { cargado, recarga } = useRecarga(loaderData)
  useSesionAbierta(cargado.puerta === undefined)
  if (cargado.puerta)
    return (
      <Puerta
        puerta={cargado.puerta}
        titulo="Resultados"
        rechazo={actionData && 'mensaje' in actionData ? actionData : undefined}
      />
    )
  return (
    <Panel
      marco={cargado.marco}
      contado={cargado.contado}
      recarga={recarga}
      dicho={actionData && 'hecho' in actionData ? actionData : undefined}
    />
  )
}

type Marco = NonNullable<Awaited<ReturnType<typeof loader>>['marco']>
type Contado = Awaited<ReturnType<typeof readContado>>

/** Buttons of the sections below, each of which shows its own outcome. */
const SUYOS = ['acta-cero', 'recontar', 'cerrar', 'anular', 'anular-de-otra', 'proclamar', 'retirar']

interface PanelProps {
  /** Undefined: no answer came. */
  marco: Marco | undefined
  /** Undefined: it could not be read. */
  contado: Contado | undefined
  recarga: () => void
  dicho: Desenlace | undefined
}

function Panel({ dicho, recarga, ...cargado }: PanelProps) {
  // A part that cannot be read now stays as it was last read.
  const marco = useUltimo(cargado.marco)
  const contado = useUltimo(cargado.contado)
  const [resultados, vivo] = useVivo(cargado.contado?.resultados, recarga)
  const candidatas = marco?.candidatas ?? []
  // The live results may be newer than the loaded ones.
  const abierta = marco && resultados ? isNotClosed(marco.cierre, new Date(resultados.leidos)) : false
  return (
    <div className={styles.resultados}>
      <header className={styles.cabeza}>
        <div>
          <p className={styles.rotulo}>Señorita Popularidad {marco?.anio}</p>
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
      {contado && <Graficas horas={contado.horas} candidatas={candidatas} />}
      {contado && <Origenes {...contado} dicho={dicho} cerrada={contado.acta !== undefined} />}
      {contado && <Rafagas {...contado} />}
      {contado && <Cadena {...contado} abierta={abierta} dicho={dicho} />}
      {marco && contado?.acta && <Proclamacion {...contado} {...contado.acta} anio={marco.anio} dicho={dicho} />}
    </div>
  )
}

/** The last value that was not undefined. */
function useUltimo<Value>(value: Value | undefined): Value | undefined {
  const [last, setLast] = useState(value)
  if (value !== undefined && value !== last) setLast(value)
  return value ?? last
}
