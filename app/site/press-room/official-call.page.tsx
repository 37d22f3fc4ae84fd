import { requireRole } from '#app/accounts/guards.server.ts'
import { loadEdition, loadManifest } from '#app/cms/editions/displayed-edition.server.ts'
import { describeFile } from '#app/cms/media/image-manifest.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { parseRichText } from '#app/core/text/rich-text.ts'
import { formatLongDate } from '#app/core/time/mexico-dates.ts'
import { buttonLook } from '#app/ui/components/button.tsx'
import { DownloadIcon } from '#app/ui/components/icons.tsx'
import { RichText } from '../rich-text.tsx'
import type { Route } from './+types/official-call.page'
import { readOfficialCall } from './data.server.ts'
import styles from './official-call.module.css'
import { PageHeader } from './page-header.tsx'
import { PhotoSection } from './photo-section.tsx'

export async function loader({ request, context }: Route.LoaderArgs) {
  await requireRole(request, context, 'prensa')
  const { convocatorias, historia } = await loadEdition()
  const { boletin, credito, uso, reina } = convocatorias.oficial
  // The header has room for an upright picture only.
  const portrait = reina.find(({ width, height }) => width <= height)
  const { titulo, fecha, parrafos, documento } = boletin
  const { sections, releaseFile } = await readOfficialCall()
  return {
    pressRelease: {
      title: titulo,
      date: fecha,
      dateText: formatLongDate(fecha),
      fileName: releaseFile,
      fileDescription: describeFile(await loadManifest(), documento),
      paragraphs: parrafos.map(parseRichText),
    },
    sections,
    credit: credito,
    usageTerms: uso,
    portrait: portrait && { picture: portrait, personName: `${historia.reina.nombre}, Reina Actual` },
  }
}

export const handle = { noindex: true }

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Convocatoria Oficial' }, args)

/** Renders the official call for the press: the press release and its pictures (§2.10). */
export default function OfficialCallPage({ loaderData }: Route.ComponentProps) {
  const { pressRelease, sections, credit, usageTerms, portrait } = loaderData
  return (
    <>
      <PageHeader
        title="Convocatoria Oficial"
        otherPage={{ to: '/galeria-candidatas', title: 'Galería de candidatas' }}
        portrait={portrait}
      >
        <p>{credit}</p>
        <p>{usageTerms}</p>
      </PageHeader>
      <section className={styles.pressRelease} aria-labelledby="boletin">
        <div className={styles.headline}>
          <p className={styles.date}>
            Boletín de prensa · <time dateTime={pressRelease.date}>{pressRelease.dateText}</time>
          </p>
          <h2 id="boletin">{pressRelease.title}</h2>
          <a className={buttonLook('outline')} href={`/descargas/${pressRelease.fileName}`} aria-describedby="boletin">
            <DownloadIcon />
            Descargar boletín ({pressRelease.fileDescription})
          </a>
        </div>
        <div className={styles.text}>
          {pressRelease.paragraphs.map((blocks, index) => (
            <RichText key={String(index)} blocks={blocks} />
          ))}
        </div>
      </section>
      {sections.map((section) => (
        <PhotoSection key={section.zip} section={section} />
      ))}
    </>
  )
}
