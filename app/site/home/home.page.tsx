import { memo } from 'react'
import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import { hayPrograma } from '#app/cms/schema/programme.ts'
import { nombreDeRed } from '#app/cms/schema/social-networks.ts'
import { delDiaAlDia, diaDe, enHora, finDelDia, hojaDe } from '#app/core/time/mexico-dates.ts'
import { MasAbajo, useMasAbajo } from '#app/ui/loading/below-fold.tsx'
import titulos from '../../../.cache/fonts/bodoni.woff2?url'
import titulosItalica from '../../../.cache/fonts/bodoni-italica.woff2?url'
import type { Route } from './+types/home.page'
import { Galeria } from './gallery.tsx'
import { Portada } from './hero.tsx'
import styles from './home.module.css'
import { Noticias } from './news.tsx'
import { Registros } from './registration-links.tsx'
import { Patrocinadores } from './sponsors.tsx'

export const handle = { ahead: true }

/** The letters of the title in the first view, which else were asked for once it is laid out. */
export const links: Route.LinksFunction = () =>
  [titulos, titulosItalica].map((href) => ({
    rel: 'preload',
    as: 'font',
    type: 'font/woff2',
    crossOrigin: 'anonymous',
    href,
  }))

export async function loader() {
  const edicion = await loadEdicion()
  const { inicio, patrocinadores, rotulo, feria, numero, anio, fechas, programa } = edicion
  const final = new Date(fechas.coronacion)
  const { semana, numero: dia, mes } = hojaDe(diaDe(final))
  return {
    inicio,
    patrocinadores: patrocinadores.map(({ nombre, marca, red }) => ({ nombre, marca, red, enRed: nombreDeRed(red) })),
    rotulo,
    lema: `${feria.nombre} · edición ${numero}`,
    final: {
      dia: `${semana} ${dia} de ${mes}`,
      hora: enHora(final),
      lugar: programa.coronacion?.lugar,
      /** The end of its day, an ISO moment. */
      hasta: finDelDia(diaDe(final))!.toISOString(),
    },
    anios: [feria.desde, anio],
    /** When the fair is, where there is a programme of it. */
    cuando: hayPrograma(edicion) ? `La feria es ${delDiaAlDia(feria.inicia, feria.termina)}.` : undefined,
  }
}

/** Sets words between asterisks in emphasis. */
const conEnfasis = (texto: string) =>
  texto.split('*').map((tramo, index) => (index % 2 === 1 ? <em key={tramo}>{tramo}</em> : tramo))

export default memo(function Inicio({ loaderData }: Route.ComponentProps) {
  const { inicio, patrocinadores, rotulo, lema, final, anios, cuando } = loaderData
  return (
    <>
      <Portada video={inicio.video} rotulo={rotulo} lema={lema} final={final} />
      <MasAbajo si={useMasAbajo()}>
        <section className={styles.introduccion}>
          <p className={styles.anios} aria-hidden="true">
            <span>{anios[0]}</span> <span>{anios[1]}</span>
          </p>
          <p className={styles.texto}>{conEnfasis(inicio.introduccion)}</p>
          {cuando && (
            <p className={styles.cuando}>
              {cuando} <a href="/programa">Ver el programa</a>
            </p>
          )}
          <Registros />
        </section>
        {inicio.galeria.length > 0 && <Galeria imagenes={inicio.galeria} />}
        {inicio.noticias.length > 0 && <Noticias noticias={inicio.noticias} />}
        {patrocinadores.length > 0 && <Patrocinadores patrocinadores={patrocinadores} />}
      </MasAbajo>
    </>
  )
})
