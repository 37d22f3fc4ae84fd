import type { ReactNode } from 'react'
import { data } from 'react-router'
import { loadPastEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { formatThousands } from '#app/core/text/thousands-separator.ts'
import { buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { Sash } from '#app/ui/ornaments/sash.tsx'
import { Photo, type Picture } from '#app/ui/photos/photo.tsx'
import { toneClass } from '#app/ui/styles/tone.ts'
import { toNewsItem } from '../news/data.server.ts'
import { RichText } from '../rich-text.tsx'
import type { Route } from './+types/past-edition.page'
import styles from './past-edition.module.css'

export const handle = { prerender: true }

export async function loader({ params }: Route.LoaderArgs) {
  const pastEdition = /^\d{4}$/.test(params.anio) ? await loadPastEdition(Number(params.anio)) : undefined
  if (!pastEdition) throw data(null, { status: 404 })
  const { edition, result, queen } = pastEdition
  const queenCandidate = edition.candidatas.find(({ id }) => id === queen?.id)
  const { nombre, anio, numero, feria, inicio, grupo, candidatas, tarjetas } = edition
  return {
    pageant: `${nombre} ${anio}`,
    tagline: `${feria.nombre} · edición ${numero}`,
    cover: inicio.video.ancho.cartel,
    introduction: inicio.introduccion.replaceAll('*', ''),
    gallery: inicio.galeria,
    news: inicio.noticias.map(toNewsItem),
    groupPhoto: grupo,
    candidates: candidatas.map(({ id, nombre, origen, carrera, tono, galeria }) => ({
      id,
      nombre,
      origen,
      carrera,
      tono,
      portrait: galeria[0]!,
    })),
    result,
    queen: queenCandidate && {
      name: queenCandidate.nombre,
      title: `${queen!.title} ${anio}`,
      portrait: queenCandidate.galeria[0]!,
      path: `/reina/${anio}`,
    },
    shareCard: tarjetas.inicio,
  }
}

export const meta: Route.MetaFunction = (args) => {
  const { pageant, introduction, shareCard } = args.loaderData ?? {}
  return pageMeta({ screen: pageant && `${pageant}, edición anterior`, description: introduction, shareCard }, args)
}

/**
 * Renders an edition that is over: a short form of its home, the queen, the winner, the candidates, and the record of the vote.
 */
export default function PastEditionPage({ loaderData }: Route.ComponentProps) {
  const { pageant, tagline, cover, introduction, gallery, news, groupPhoto, candidates, result, queen } = loaderData
  return (
    <article>
      <header className={styles.cover}>
        <Photo picture={cover} sizes="(max-width: 640px) 66vh, max(100vw, 142vh)" className={styles.backdrop} isFirst />
        <div className={styles.headline}>
          <p className={styles.motto}>{tagline}</p>
          <h1>{pageant}</h1>
        </div>
      </header>
      <p className={styles.introduction}>{introduction}</p>
      {queen && (
        <CrownedSection
          id="reina"
          title={queen.title}
          name={queen.name.split(' ').slice(0, 2).join(' ')}
          portrait={queen.portrait}
        >
          <Link to={queen.path}>{queen.name} y su corte</Link>
        </CrownedSection>
      )}
      {result?.winner && (
        <CrownedSection
          id="ganadora"
          title="Señorita Popularidad"
          name={result.winner.nombreCorto}
          portrait={result.winner.foto}
        >
          «{result.winner.mensaje}»
        </CrownedSection>
      )}
      {candidates.length > 0 && (
        <section className={styles.candidates} aria-labelledby="candidatas">
          <h2 id="candidatas">Las candidatas</h2>
          {groupPhoto && <Photo picture={groupPhoto} sizes="95vw" className={styles.group} />}
          <ul>
            {candidates.map(({ id, nombre, origen, carrera, tono, portrait }) => (
              <li key={id} className={toneClass(tono)}>
                <Photo picture={portrait} sizes="(max-width: 640px) 44vw, 18vw" className={styles.portrait} />
                <h3>{nombre}</h3>
                <p>{origen}</p>
                <p>{carrera}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
      {result && (
        <section className={styles.record} aria-labelledby="acta">
          <h2 id="acta">El acta</h2>
          <div>
            <table>
              <thead>
                <tr>
                  <th scope="col">Candidata</th>
                  <th scope="col">Votos</th>
                </tr>
              </thead>
              <tbody>
                {result.votes.map(({ id, name, votes }) => (
                  <tr key={id}>
                    <th scope="row">{name}</th>
                    <td>{formatThousands(votes)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            <p className={styles.seal}>
              Sello del acta <code>{result.seal}</code>
            </p>
            <p>
              <a className={buttonLook('outline')} href={result.recordUrl} download>
                Descargar el acta
              </a>
            </p>
          </div>
        </section>
      )}
      {gallery.length > 0 && (
        <section className={styles.gallery} aria-labelledby="galeria">
          <h2 id="galeria">Aquella noche</h2>
          <ul>
            {gallery.map((picture) => (
              <li key={picture.base}>
                <Photo picture={picture} sizes="(max-width: 640px) 92vw, 46vw" className={styles.photo} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {news.length > 0 && (
        <section className={styles.news} aria-labelledby="noticias">
          <h2 id="noticias">Lo que se contó</h2>
          {news.map(({ path, title, blocks }) => (
            <article key={path}>
              <h3>
                <Link to={path}>{title}</Link>
              </h3>
              <RichText blocks={blocks} className={styles.story} />
            </article>
          ))}
        </section>
      )}
      <p className={styles.back}>
        <Link to="/nuestra-historia">Toda la historia del certamen</Link>
      </p>
    </article>
  )
}

interface CrownedSectionProps {
  id: string
  title: string
  name: string
  portrait: Picture
  /** Text below the sash. */
  children: ReactNode
}

const CrownedSection = ({ id, title, name, portrait, children }: CrownedSectionProps) => (
  <section className={styles.crowned} aria-labelledby={id}>
    <Photo picture={portrait} sizes="(max-width: 640px) 100vw, 42vw" className={styles.crownedPortrait} />
    <div>
      <h2 id={id}>{title}</h2>
      <Sash className={styles.sash}>{name}</Sash>
      <p className={styles.message}>{children}</p>
    </div>
  </section>
)
