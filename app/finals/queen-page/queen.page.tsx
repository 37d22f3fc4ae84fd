import { useEffect, useState } from 'react'
import { data } from 'react-router'
import {
  displayedEdition,
  listPastEditions,
  loadEdition,
  loadPastEdition,
  withEdition,
} from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { originOf } from '#app/core/http/services.server.ts'
import { finalRecordPath, queenPath } from '#app/finals/record/paths.ts'
import { PersonName } from '#app/ui/components/person-name.tsx'
import crowned from '#app/ui/crowned/crowned.module.css'
import { Crowned } from '#app/ui/crowned/crowned.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { Photo } from '#app/ui/photos/photo.tsx'
import { ShareButton } from '#app/ui/sharing/share-button.tsx'
import { toneClass } from '#app/ui/styles/tone.ts'
import type { Route } from './+types/queen.page'
import { courtsContext } from './courts.server.ts'
import styles from './queen.module.css'

export const handle = { prefetch: false }

/** Loads the queen of the URL's year or, without a year, the newest queen. Answers 404 if there is none. */
export async function loader({ params, context }: Route.LoaderArgs) {
  const courts = await context.get(courtsContext).read()
  const displayedYear = (await loadEdition()).anio
  const years = [displayedYear, ...(await listPastEditions())]
  const year = params.anio === undefined ? years.find((editionYear) => courts.has(editionYear)) : Number(params.anio)
  const court = courts.get(year ?? Number.NaN)
  const edition = year === displayedYear ? displayedEdition() : (await loadPastEdition(year ?? Number.NaN))?.displayed
  if (!year || !court || (!edition && year !== displayedYear)) throw data(null, { status: 404 })
  const loadCourt = async () => {
    const { candidatas, nombre, tarjetas } = await loadEdition()
    const members = court.flatMap(({ id, title }) => {
      const candidate = candidatas.find((publishedCandidate) => publishedCandidate.id === id)
      return candidate ? [{ ...candidate, title }] : []
    })
    const [queen, ...otherMembers] = members.map(({ id, nombre, title, galeria, tono, edad, origen, carrera }) => ({
      id,
      name: nombre,
      title,
      portrait: galeria[0]!,
      tone: tono,
      age: edad,
      facts: [origen, carrera],
    }))
    // A queen who was withdrawn from the edition has no page.
    if (!queen || queen.id !== court[0]!.id) throw data(null, { status: 404 })
    return {
      queen,
      court: otherMembers,
      year,
      pageant: `${nombre} ${year}`,
      isShown: year === displayedYear,
      siteOrigin: originOf(context),
      shareCard: tarjetas[`candidata-${queen.id}`],
    }
  }
  return edition ? withEdition(edition, loadCourt) : loadCourt()
}

export const meta: Route.MetaFunction = (args) => {
  const { queen, year, shareCard } = args.loaderData ?? {}
  return pageMeta(
    {
      screen: queen ? `${queen.name}, ${queen.title} ${year}` : 'Página no encontrada',
      description: queen && `${queen.name} es ${queen.title} ${year}. Conoce a la reina y a su corte.`,
      shareCard,
    },
    args,
  )
}

export default function QueenPage({ loaderData }: Route.ComponentProps) {
  const { queen, court, year, pageant, isShown, siteOrigin } = loaderData
  const [confettiCount, setConfettiCount] = useState(0)
  useEffect(() => setConfettiCount(1), [])
  const title = `${queen.title} ${year}`
  return (
    <>
      <Crowned
        title={`Reina ${year}`}
        name={queen.name.split(' ').slice(0, 2).join(' ')}
        photo={queen.portrait}
        sash={queen.title}
        showerCount={confettiCount}
      >
        <p className={crowned.data}>
          {isShown ? <Link to={`/candidatas#${queen.id}`}>{queen.name}</Link> : <span>{queen.name}</span>}
          <span>{queen.age} años</span>
          {queen.facts.map((fact) => (
            <span key={fact}>{fact}</span>
          ))}
        </p>
        <div className={crowned.footer}>
          <ShareButton
            look="main"
            text={`${queen.name} es ${title}:`}
            url={`${siteOrigin}${queenPath(year)}`}
            subject={`a la reina ${year}`}
          />
          <div className={crowned.quiet}>
            <Link to={finalRecordPath(year)}>Consulta el acta de la final</Link>
            {!isShown && <Link to={`/ediciones/${year}`}>{pageant}</Link>}
          </div>
        </div>
      </Crowned>
      {court.length > 0 && (
        <section className={styles.court} aria-labelledby="corte">
          <h2 id="corte">Su corte</h2>
          <ul>
            {court.map(({ id, name, title, portrait, tone }) => (
              <li key={id} className={toneClass(tone)}>
                <Photo picture={portrait} sizes="(max-width: 640px) 44vw, 22vw" className={styles.portrait} />
                <h3>
                  {isShown ? (
                    <Link to={`/candidatas#${id}`}>
                      <PersonName>{name}</PersonName>
                    </Link>
                  ) : (
                    <PersonName>{name}</PersonName>
                  )}
                </h3>
                <p>{title}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
