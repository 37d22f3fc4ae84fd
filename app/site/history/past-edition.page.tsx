import { data } from 'react-router'
import { loadPastEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { formatThousands } from '#app/core/text/thousands-separator.ts'
import { buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { Sash } from '#app/ui/ornaments/sash.tsx'
import { Photo } from '#app/ui/photos/photo.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { toneClass } from '#app/ui/styles/tone.ts'
import type { Route } from './+types/past-edition.page'
import styles from './past-edition.module.css'

export const handle = { ahead: true }

export async function loader({ params }: Route.LoaderArgs) {
  const past = /^\d{4}$/.test(params.anio) ? await loadPastEdition(Number(params.anio)) : undefined
  if (!past) throw data(null, { status: 404 })
  const { edition, result } = past
  const { nombre, anio, numero, feria, inicio, grupo, candidatas, tarjetas } = edition
  return {
    certamen: `${nombre} ${anio}`,
    lema: `${feria.nombre} · edición ${numero}`,
    portada: inicio.video.ancho.cartel,
    introduccion: inicio.introduccion.replaceAll('*', ''),
    galeria: inicio.galeria,
    noticias: inicio.noticias.map(({ titulo, texto }) => ({ titulo, texto })),
    grupo,
    candidatas: candidatas.map(({ id, nombre, origen, carrera, tono, galeria }) => ({
      ...{ id, nombre, origen, carrera, tono },
      retrato: galeria[0]!,
    })),
    resultado: result,
    tarjeta: tarjetas.inicio,
  }
}

export const meta: Route.MetaFunction = (args) => {
  const { certamen, introduccion, tarjeta } = args.loaderData ?? {}
  return pageMeta(
    { screen: certamen && `${certamen}, edición anterior`, description: introduccion, shareCard: tarjeta },
    args,
  )
}

/** An edition that is over: a short form of its home, its candidates, the winner, and the record of the vote. */
export default function PastEditionPage({ loaderData }: Route.ComponentProps) {
  const { certamen, lema, portada, introduccion, galeria, noticias, grupo, candidatas, resultado } = loaderData
  return (
    <article>
      <header className={styles.cover}>
        <Photo
          picture={portada}
          sizes="(max-width: 700px) 66vh, max(100vw, 142vh)"
          className={styles.backdrop}
          isFirst
        />
        <div className={styles.headline}>
          <p className={styles.motto}>{lema}</p>
          <h1>{certamen}</h1>
        </div>
      </header>
      <p className={styles.introduction}>{introduccion}</p>
      {resultado?.winner && (
        <section className={styles.winner} aria-labelledby="ganadora">
          <Photo
            picture={resultado.winner.foto}
            sizes="(max-width: 700px) 100vw, 42vw"
            className={styles.winnerPortrait}
          />
          <div>
            <h2 id="ganadora">Señorita Popularidad</h2>
            <Sash className={styles.sash}>{resultado.winner.nombreCorto}</Sash>
            <p className={styles.message}>«{resultado.winner.mensaje}»</p>
          </div>
        </section>
      )}
      {candidatas.length > 0 && (
        <section className={styles.candidates} aria-labelledby="candidatas">
          <h2 id="candidatas">Las candidatas</h2>
          {grupo && <Photo picture={grupo} sizes="95vw" className={styles.group} />}
          <ul>
            {candidatas.map(({ id, nombre, origen, carrera, tono, retrato }) => (
              <li key={id} className={toneClass(tono)}>
                <Photo picture={retrato} sizes="(max-width: 700px) 44vw, 18vw" className={styles.portrait} />
                <h3>{nombre}</h3>
                <p>{origen}</p>
                <p>{carrera}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
      {resultado && (
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
                {resultado.votes.map(({ id, name, votes }) => (
                  <tr key={id}>
                    <th scope="row">{name}</th>
                    <td>{formatThousands(votes)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            <p className={styles.seal}>
              Sello del acta <code>{resultado.seal}</code>
            </p>
            <p>
              <a className={joinClasses(buttonLook('outline'))} href={resultado.recordUrl} download>
                Descargar el acta
              </a>
            </p>
          </div>
        </section>
      )}
      {galeria.length > 0 && (
        <section className={styles.gallery} aria-labelledby="galeria">
          <h2 id="galeria">Aquella noche</h2>
          <ul>
            {galeria.map((picture) => (
              <li key={picture.base}>
                <Photo picture={picture} sizes="(max-width: 700px) 92vw, 46vw" className={styles.photo} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {noticias.length > 0 && (
        <section className={styles.news} aria-labelledby="noticias">
          <h2 id="noticias">Lo que se contó</h2>
          {noticias.map(({ titulo, texto }) => (
            <article key={titulo}>
              <h3>{titulo}</h3>
              <p>{texto}</p>
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
