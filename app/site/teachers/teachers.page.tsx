import { memo, useRef } from 'react'
import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { enLista } from '#app/core/text/sentence-list.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { MasAbajo, useMasAbajo } from '#app/ui/loading/below-fold.tsx'
import { desdeLaIzquierda, useAparicion } from '#app/ui/motion/reveal-in-view.ts'
import { Agave, Cohete, Rueda } from '#app/ui/ornaments/fair-drawings.tsx'
import { Foto } from '#app/ui/photos/photo.tsx'
import { IconoSiguiente } from '#app/ui/primitives/icons.tsx'
import { Nombre } from '#app/ui/primitives/person-name.tsx'
import { unir } from '#app/ui/styles/class-names.ts'
import type { Route } from './+types/teachers.page'
import { Puesto } from './job-title.tsx'
import styles from './teachers.module.css'

export const handle = { ahead: true }

export async function loader() {
  const { bannerMaestros, maestros, rotulo, tarjetas } = await loadEdicion()
  const nombres = maestros.map(({ nombre }) => nombre)
  return {
    descripcion: nombres.length > 0 ? `Conoce a nuestros maestros: ${enLista(nombres)}.` : undefined,
    banner: bannerMaestros,
    rotulo,
    maestros: maestros.map(({ slug, nombre, puesto, foto }) => ({ slug, nombre, puesto, foto })),
    tarjeta: tarjetas.maestros,
  }
}

export const meta: Route.MetaFunction = (args) => {
  const { descripcion, tarjeta } = args.loaderData ?? {}
  return cabeza({ pantalla: 'Maestros', descripcion, tarjeta }, args)
}

/** Those who prepare the candidates, one row each (§2.6). */
export default memo(function Maestros({ loaderData: { banner, rotulo, maestros } }: Route.ComponentProps) {
  const lista = useRef<HTMLOListElement>(null)
  const abajo = useMasAbajo()
  useAparicion(lista, abajo)
  return (
    <>
      <header className={styles.portada}>
        <Foto
          imagen={banner}
          sizes="(max-width: 599px) 150vw, max(100vw, min(142vh, 1352px))"
          className={styles.banner}
          primera
        />
        <div className={styles.titular}>
          {/* The logo's words (§2.6): its emblem stands right above, in the header. */}
          <p className={styles.logo}>
            {rotulo[0]} <em>{rotulo[1]}</em>
          </p>
          <h1>CONOCE A NUESTROS MAESTROS</h1>
        </div>
      </header>
      {maestros.length === 0 && (
        <p className={styles.pronto}>
          Muy pronto presentaremos a quienes preparan a las candidatas: su escuela, su oficio y sus manías.
        </p>
      )}
      <ol ref={lista} className={styles.lista}>
        {(abajo ? maestros : maestros.slice(0, 2)).map(({ slug, nombre, puesto, foto }) => (
          <li key={slug} className={unir(styles.renglon, desdeLaIzquierda)}>
            <Enlace to={`/maestros/${slug}`}>
              <div>
                <h2>
                  <Nombre>{nombre}</Nombre>
                </h2>
                <Puesto puesto={puesto} className={styles.puesto} />
              </div>
              <Foto imagen={foto} sizes="(max-width: 599px) 42vw, (max-width: 1024px) 100vw, 38vw" />
              <IconoSiguiente />
            </Enlace>
          </li>
        ))}
      </ol>
      <MasAbajo si={abajo}>
        <div className={styles.feria}>
          <Cohete className={styles.cohete} />
          <Cohete className={styles.cohete} />
          <Agave className={styles.agave} />
          <Rueda className={styles.rueda} />
          <Agave className={styles.agave} />
        </div>
      </MasAbajo>
    </>
  )
})
