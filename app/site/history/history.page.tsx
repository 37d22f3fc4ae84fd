import { Fragment, memo } from 'react'
import { usePhase } from '#app/cms/edition-settings/use-periods.ts'
import { listPastEditions, loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { BelowFold, useBelowFold } from '#app/ui/deferred/below-fold.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { Sash } from '#app/ui/ornaments/sash.tsx'
import { asDecorative, Photo } from '#app/ui/photos/photo.tsx'
import type { Route } from './+types/history.page'
import styles from './history.module.css'
import { yearsIn } from './rules.ts'

export const handle = { prerender: true }

export async function loader() {
  const { historia, inicio, feria, numero, tarjetas } = await loadEdition()
  const pastYears = await listPastEditions()
  return {
    ...historia,
    /** Decorative pictures between the paragraphs. */
    scenes: inicio.galeria.toReversed().map(asDecorative),
    pastYears,
    anniversary: feria.aniversario,
    editionNumber: numero,
    shareCard: tarjetas['nuestra-historia'],
  }
}

export const meta: Route.MetaFunction = (args) =>
  pageMeta(
    { screen: 'Nuestra historia', description: args.loaderData?.entrada, shareCard: args.loaderData?.shareCard },
    args,
  )

/**
 * Returns the years that a paragraph names, which the stylesheet shows beside it; undefined without any. The label may break
 * after a dot between years, not before.
 */
const yearsLabelOf = (text: string) => yearsIn(text).join('\u{a0}· ') || undefined

const paragraphWithYears = (paragraph: string) => (
  <p key={paragraph} data-years={yearsLabelOf(paragraph)}>
    {paragraph}
  </p>
)

/**
 * Renders the history of the fair, the current queen (§2.5), who is the former one after the final until the content changes, and
 * links to past editions.
 */
export default memo(function HistoryPage({ loaderData }: Route.ComponentProps) {
  const { hero, pastYears, anniversary, editionNumber, entrada, parrafos, foto, scenes, cita, reina } = loaderData
  const newQueen = usePhase()?.reina
  const successorName = newQueen?.nombre === reina.nombre ? undefined : newQueen?.nombre
  return (
    <article>
      <header className={styles.cover}>
        <Photo
          picture={hero}
          sizes="(max-width: 640px) 66vh, (max-width: 900px) 136vw, max(100vw, 164vh)"
          className={styles.hero}
          isFirst
        />
        <h1>Nuestra historia</h1>
      </header>
      <section className={styles.chronicle}>
        <p className={styles.numeral}>
          <span>{anniversary}</span>
          <small>años de feria, edición {editionNumber} del certamen</small>
        </p>
        <div className={styles.time}>
          <p className={styles.lead} data-years={yearsLabelOf(entrada)}>
            {entrada}
          </p>
          {parrafos.slice(0, 1).map(paragraphWithYears)}
          <Photo
            picture={foto}
            sizes="(max-width: 599px) 60vw, (max-width: 900px) 288px, 352px"
            className={styles.printed}
          />
          <figure className={styles.memory}>
            <blockquote>«{cita.texto}»</blockquote>
            <figcaption>{cita.fuente}</figcaption>
          </figure>
          {parrafos.slice(1).map((paragraph, index) => {
            const scene = index % 2 === 0 && index < parrafos.length - 2 && scenes[index / 2]
            return (
              <Fragment key={paragraph}>
                {paragraphWithYears(paragraph)}
                {scene && <Photo picture={scene} sizes="(max-width: 900px) 86vw, 352px" className={styles.scene} />}
              </Fragment>
            )
          })}
        </div>
      </section>
      <BelowFold isShown={useBelowFold()}>
        <section className={styles.queen} aria-labelledby="reina">
          <Photo
            picture={reina.foto}
            sizes="(max-width: 640px) 88vw, (max-width: 900px) 100vw, 50vw"
            className={styles.portrait}
          />
          <div className={styles.biography}>
            <h2 id="reina">{successorName ? 'Reina saliente' : 'Reina Actual'}</h2>
            <Sash as="h3" className={styles.sash}>
              {reina.nombre}
            </Sash>
            <dl className={styles.facts}>
              <dt>Lugar de nacimiento</dt>
              <dd>{reina.nacimiento}</dd>
              <dt>Edad</dt>
              <dd>{reina.edad} años</dd>
              <dt>Estudios</dt>
              <dd>{reina.estudios}</dd>
            </dl>
            {successorName && (
              <p>
                Desde la final la corona es de <Link to="/reina">{successorName}</Link>.
              </p>
            )}
            {reina.bio.map((paragraph) => (
              <p key={paragraph}>{paragraph}</p>
            ))}
            <blockquote>«{reina.cita}»</blockquote>
          </div>
        </section>
        {pastYears.length > 0 && (
          <nav className={styles.past} aria-labelledby="pasadas">
            <h2 id="pasadas">Ediciones anteriores</h2>
            <ul>
              {pastYears.map((year) => (
                <li key={year}>
                  <Link to={`/ediciones/${year}`}>{year}</Link>
                </li>
              ))}
            </ul>
          </nav>
        )}
      </BelowFold>
    </article>
  )
})
