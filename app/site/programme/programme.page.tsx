import { Fragment, startTransition, useEffect, useState } from 'react'
import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { diasDe } from '#app/cms/schema/programme.ts'
import { useSinLinea } from '#app/core/browser/use-offline.ts'
import { delDiaAlDia, diaDe, hojaDe } from '#app/core/time/mexico-dates.ts'
import { useHora } from '#app/core/time/use-site-time.ts'
import { Foto, type Imagen } from '#app/ui/photos/photo.tsx'
import { Mensaje } from '#app/ui/primitives/message-screen.tsx'
import signo from '#app/ui/styles/disclosure.module.css'
import type { Route } from './+types/programme.page'
import { Calendario } from './calendar-grid.tsx'
import { Dia } from './day.tsx'
import styles from './programme.module.css'
import { diasEntre, hojaDelCalendario, MADRUGADA_MS } from './rules.ts'

export const handle = { ahead: true }

export async function loader() {
  const edicion = await loadEdicion()
  const { feria, anio, lugar, programa, tarjetas, inicio, historia } = edicion
  const dias = diasDe(edicion).map((dia) => ({ ...dia, ...hojaDe(dia.fecha) }))
  return {
    feria: feria.nombre,
    anio,
    ciudad: `${lugar.ciudad}, ${lugar.estado}`,
    del: delDiaAlDia(feria.inicia, feria.termina),
    inicia: hojaDe(feria.inicia),
    termina: hojaDe(feria.termina),
    entrada: programa.entrada,
    hoja: hojaDelCalendario(dias.map(({ fecha }) => fecha)),
    dias,
    /** Pictures between the weeks, the home's from the last on, and the plaza behind the final. They say nothing here. */
    vistas: inicio.galeria.toReversed().map(callada),
    plaza: callada(historia.hero),
    tarjeta: tarjetas.programa,
  }
}

const callada = ({ vista, ...imagen }: Imagen): Imagen => ({ ...imagen, alt: '' })

/** The document may keep itself for when there is no line (use-offline.ts). */
export const headers: Route.HeadersFunction = () => ({ 'service-worker-allowed': '/programa' })

export const meta: Route.MetaFunction = (args) => {
  const { feria, anio, del, tarjeta } = args.loaderData ?? {}
  return cabeza(
    {
      pantalla: 'Programa de la feria',
      descripcion: feria && `Día por día, hora por hora: todo lo que pasa en la ${feria} ${anio}, ${del}.`,
      tarjeta,
    },
    args,
  )
}

/** How often the clock is looked at while the screen is open. */
const REFRESH_MS = 30_000

/** The moment by the site's clock; where there is no line, by the device's. Undefined until one is known. */
function useAhora(sinLinea: boolean): Date | undefined {
  const hora = useHora()
  const [ahora, setAhora] = useState<Date>()
  useEffect(() => {
    const clock = hora ?? (sinLinea ? () => new Date() : undefined)
    if (!clock) return
    // Days that are over change their place: that holds up no finger.
    const look = () => startTransition(() => setAhora(clock()))
    look()
    const timer = setInterval(look, REFRESH_MS)
    return () => clearInterval(timer)
  }, [hora, sinLinea])
  return ahora
}

/** What takes place at the fair, day by day: a poster whose first line is today's. */
export default function Programa({ loaderData }: Route.ComponentProps) {
  const { feria, anio, ciudad, inicia, termina, entrada, hoja, dias, vistas, plaza } = loaderData
  const sinLinea = useSinLinea('/programa', dias.length > 0)
  const ahora = useAhora(sinLinea)
  // In the small hours the night still belongs to the day before.
  const hoy = ahora && diaDe(new Date(ahora.getTime() - MADRUGADA_MS))
  const [abiertos, setAbiertos] = useState(false)
  const [primero, ultimo] = [dias[0], dias.at(-1)]
  if (!primero || !ultimo)
    return (
      <Mensaje rotulo={`${feria} ${anio}`} titulo="El programa se está afinando">
        <p>Aquí estará, día por día y hora por hora, en cuanto el comité lo tenga completo.</p>
      </Mensaje>
    )
  const isOver = hoy !== undefined && hoy > ultimo.fecha
  const today = dias.find(({ fecha }) => fecha === hoy)
  const past = hoy === undefined || isOver ? [] : dias.filter(({ fecha }) => fecha < hoy)
  const rest = dias.filter((dia) => dia !== today && !past.includes(dia))
  return (
    <article className={styles.programa}>
      <header className={styles.portada}>
        <span className={styles.rueda} aria-hidden="true" />
        <div className={styles.titular}>
          <p className={styles.rotulo}>{`${feria} · ${ciudad}`}</p>
          <h1>Programa de la feria</h1>
          <p className={styles.fechas}>
            <span className={styles.numeral}>{inicia.numero}</span> <em>al</em>{' '}
            <span className={styles.numeral}>{termina.numero}</span>{' '}
            <span className={styles.mes}>{`de ${termina.mes} de ${anio}`}</span>
          </p>
        </div>
        <div className={styles.lado}>
          {entrada && <p className={styles.entrada}>{entrada}</p>}
          {hoja && (
            <Calendario
              {...hoja}
              dias={dias}
              hoy={hoy}
              onDia={(fecha) => past.some((dia) => dia.fecha === fecha) && setAbiertos(true)}
            />
          )}
          <p className={styles.acciones}>
            <a href="/programa.ics">Agregar todo a mi calendario</a>
            <span className={styles.cuenta}>{said(hoy, primero.fecha, isOver)}</span>
          </p>
        </div>
        <div className={styles.bombillas} aria-hidden="true" />
      </header>
      {sinLinea && (
        <p className={styles.sinLinea} role="status">
          Sin conexión: éste es el programa como estaba la última vez que lo abriste con señal.
        </p>
      )}
      {today && (
        <section className={styles.hoy} aria-labelledby="hoy">
          <p id="hoy" className={styles.letrero}>
            Hoy
          </p>
          <Dia {...today} ahora={ahora} esHoy plaza={plaza} />
        </section>
      )}
      {rest.map((dia) => {
        const vista = vistas[lunes(dias, dia.fecha)]
        return (
          <Fragment key={dia.fecha}>
            {vista && <Foto imagen={vista} sizes="100vw" className={styles.vista} />}
            <Dia {...dia} ahora={undefined} plaza={plaza} />
          </Fragment>
        )
      })}
      {past.length > 0 && (
        <details className={styles.pasados} open={abiertos} onToggle={(event) => setAbiertos(event.currentTarget.open)}>
          <summary className={signo.desplegable}>
            {past.length === 1 ? 'El día que ya pasó' : `Los ${past.length} días que ya pasaron`}
          </summary>
          {past.map((dia) => (
            <Dia key={dia.fecha} {...dia} ahora={undefined} plaza={plaza} />
          ))}
        </details>
      )}
    </article>
  )
}

/** Which Monday of the fair a day is, from 0; -1 where it is none, or the first day of all. */
function lunes(dias: readonly { fecha: string; semana: string }[], fecha: string): number {
  return dias
    .slice(1)
    .filter(({ semana }) => semana === 'lunes')
    .findIndex((dia) => dia.fecha === fecha)
}

/** How far the fair is away; nothing while it is on, or not known. */
function said(hoy: string | undefined, primero: string, isOver: boolean): string | undefined {
  if (hoy === undefined) return undefined
  if (isOver) return 'La feria terminó: así fue.'
  const left = diasEntre(hoy, primero)
  if (left < 1) return undefined
  return left === 1 ? 'Empieza mañana.' : `Faltan ${left} días.`
}
