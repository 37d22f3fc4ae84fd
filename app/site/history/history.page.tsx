import { memo } from 'react'
import { edicionesPasadas, loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { MasAbajo, useMasAbajo } from '#app/ui/loading/below-fold.tsx'
import { Banda } from '#app/ui/ornaments/sash.tsx'
import { Foto } from '#app/ui/photos/photo.tsx'
import type { Route } from './+types/history.page'
import styles from './history.module.css'
import { aniosEn } from './rules.ts'

export const handle = { ahead: true }

export async function loader() {
  const { historia, feria, numero, tarjetas } = await loadEdicion()
  const pasadas = await edicionesPasadas()
  return { ...historia, pasadas, aniversario: feria.aniversario, numero, tarjeta: tarjetas['nuestra-historia'] }
}

export const meta: Route.MetaFunction = (args) =>
  cabeza(
    { pantalla: 'Nuestra historia', descripcion: args.loaderData?.entrada, tarjeta: args.loaderData?.tarjeta },
    args,
  )

/** What stands beside a paragraph on the thread of years: those that it names. A line may end behind a point, never before. */
const marca = (texto: string) => aniosEn(texto).join('\u{a0}· ') || undefined

const contado = (parrafo: string) => (
  <p key={parrafo} data-anios={marca(parrafo)}>
    {parrafo}
  </p>
)

/** The fair's hundred years, and the queen of today (§2.5). */
export default memo(function Historia({ loaderData }: Route.ComponentProps) {
  const { hero, pasadas, aniversario, numero, entrada, parrafos, foto, cita, reina } = loaderData
  return (
    <article>
      <header className={styles.portada}>
        <Foto
          imagen={hero}
          sizes="(max-width: 700px) 66vh, (max-width: 900px) 136vw, max(100vw, 164vh)"
          className={styles.hero}
          primera
        />
        <h1>Nuestra historia</h1>
      </header>
      <section className={styles.cronica}>
        <p className={styles.numeral}>
          <span>{aniversario}</span>
          <small>años de feria, edición {numero} del certamen</small>
        </p>
        <div className={styles.tiempo}>
          <p className={styles.entrada} data-anios={marca(entrada)}>
            {entrada}
          </p>
          {parrafos.slice(0, 1).map(contado)}
          {/* The print and its words stand where she is told of, and break the text. */}
          <Foto
            imagen={foto}
            sizes="(max-width: 599px) 60vw, (max-width: 900px) 288px, 352px"
            className={styles.impresa}
          />
          <figure className={styles.recuerdo}>
            <blockquote>«{cita.texto}»</blockquote>
            <figcaption>{cita.fuente}</figcaption>
          </figure>
          {parrafos.slice(1).map(contado)}
        </div>
      </section>
      <MasAbajo si={useMasAbajo()}>
        <section className={styles.reina} aria-labelledby="reina">
          <Foto
            imagen={reina.foto}
            sizes="(max-width: 700px) 88vw, (max-width: 900px) 100vw, 50vw"
            className={styles.retrato}
          />
          <div className={styles.semblanza}>
            <h2 id="reina">Reina Actual</h2>
            <Banda como="h3" className={styles.banda}>
              {reina.nombre}
            </Banda>
            <dl>
              <dt>Lugar de nacimiento</dt>
              <dd>{reina.nacimiento}</dd>
              <dt>Edad</dt>
              <dd>{reina.edad} años</dd>
              <dt>Estudios</dt>
              <dd>{reina.estudios}</dd>
            </dl>
            {reina.bio.map((parrafo) => (
              <p key={parrafo}>{parrafo}</p>
            ))}
            <blockquote>«{reina.cita}»</blockquote>
          </div>
        </section>
        {pasadas.length > 0 && (
          <nav className={styles.pasadas} aria-labelledby="pasadas">
            <h2 id="pasadas">Ediciones anteriores</h2>
            <ul>
              {pasadas.map((anio) => (
                <li key={anio}>
                  <Enlace to={`/ediciones/${anio}`}>{anio}</Enlace>
                </li>
              ))}
            </ul>
          </nav>
        )}
      </MasAbajo>
    </article>
  )
})
