import { memo } from 'react'
import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { hayPrograma } from '#app/cms/schema/programme.ts'
import { usePeriodos } from '#app/cms/settings/use-periods.ts'
import { delDiaAlDia } from '#app/core/time/mexico-dates.ts'
import { MiniaturaVisor, Visor } from '#app/ui/photos/lightbox.tsx'
import { Carrusel } from '#app/ui/primitives/carousel.tsx'
import { Mensaje } from '#app/ui/primitives/message-screen.tsx'
import type { Route } from './+types/calls.page'
import styles from './calls.module.css'
import { anuncioDeHoy } from './rules.ts'
import { Anuncio } from './slide.tsx'

export { shouldRevalidate } from '#app/ui/photos/lightbox-hash.ts'
export const handle = { ahead: true }

/** @source §2.11, §9 */
const CAMBIO = { desvanecidoMs: 250 }
const PALABRAS = { anterior: '← Anterior', siguiente: 'Siguiente →' }

export async function loader() {
  const edicion = await loadEdicion()
  const { convocatorias, anio, feria, tarjetas } = edicion
  const cuando = hayPrograma(edicion) ? `La feria es ${delDiaAlDia(feria.inicia, feria.termina)}.` : undefined
  return { anuncios: convocatorias.anuncios, anio, cuando, tarjeta: tarjetas.convocatoria }
}

export const meta: Route.MetaFunction = (args) => {
  const { anuncios, tarjeta } = args.loaderData ?? {}
  const descripcion = anuncios?.length
    ? anuncios.map(({ titulo, texto }) => `${titulo}: ${texto}`).join(' ')
    : undefined
  return cabeza({ pantalla: 'Convocatorias', descripcion, tarjeta }, args)
}

/** The edition's announcements, one at a time (§2.11). */
export default memo(function Convocatoria({ loaderData }: Route.ComponentProps) {
  const { anio, cuando } = loaderData
  const periodos = usePeriodos()
  const anuncios = loaderData.anuncios.map((anuncio) => {
    const periodo = periodos && (anuncio.registro ? periodos[anuncio.registro] : undefined)
    return { ...anuncioDeHoy(anuncio, periodo), periodo }
  })
  if (anuncios.length === 0)
    return (
      <Mensaje rotulo={`Convocatorias ${anio}`} titulo="Muy pronto habrá noticias aquí">
        <p>En este momento no hay ninguna convocatoria. Cuando se abra una, la verás en esta pantalla.</p>
      </Mensaje>
    )
  return (
    <section className={styles.convocatoria} aria-labelledby="convocatorias" aria-roledescription="carrusel">
      <h1 id="convocatorias">{`Convocatorias ${anio}`}</h1>
      <Carrusel
        items={anuncios}
        keyOf={({ identidad }, index) => `${index} ${identidad}`}
        nombre="Anuncio"
        cambio={CAMBIO}
        palabras={PALABRAS}
        puntos
        elemento="article"
        clases={{ marco: styles.marco, controles: styles.controles, pista: styles.pista, lamina: styles.lamina }}
      >
        {(anuncio, index) => (
          <>
            <MiniaturaVisor
              serie="carteles"
              numero={index + 1}
              imagen={anuncio.imagen}
              sizes="(max-width: 639px) min(90vw, max(34vh, 67vh - 205px)), (max-width: 900px) 46vw, min(38vw, 62vh)"
              className={styles.cartel}
              primera={index === 0}
            />
            <Anuncio {...anuncio} />
          </>
        )}
      </Carrusel>
      <Visor
        serie="carteles"
        nombre="Carteles de las convocatorias"
        imagenes={anuncios.map(({ imagen }) => imagen)}
        pies={anuncios.map(({ titulo }) => titulo)}
      />
      {cuando && (
        <p className={styles.cuando}>
          {cuando} <a href="/programa">Ver el programa</a>
        </p>
      )}
    </section>
  )
})
