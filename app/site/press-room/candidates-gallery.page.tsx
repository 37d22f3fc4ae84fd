import { requireRole } from '#app/accounts/guards.server.ts'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import type { Route } from './+types/candidates-gallery.page'
import { listGallerySections } from './data.server.ts'
import styles from './page-header.module.css'
import { PageHeader } from './page-header.tsx'
import { PhotoSection } from './photo-section.tsx'

export async function loader({ request, context }: Route.LoaderArgs) {
  await requireRole(request, context, 'prensa')
  const { credito, uso } = (await loadEdition()).convocatorias.oficial
  return { sections: await listGallerySections(), credit: credito, usageTerms: uso }
}

export const handle = { noindex: true }

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Galería de candidatas' }, args)

/** Renders the photographs of the candidates that accredited journalists download (§2.13). */
export default function CandidatesGalleryPage({ loaderData: { sections, credit, usageTerms } }: Route.ComponentProps) {
  return (
    <>
      <PageHeader
        title="Galería de candidatas"
        otherPage={{ to: '/convocatoriaoficial', title: 'Convocatoria Oficial' }}
      >
        <p>{credit}</p>
        <p>{usageTerms}</p>
      </PageHeader>
      {sections.length === 0 && (
        <p className={styles.soon}>Las fotografías estarán aquí el día en que el comité presente a las candidatas.</p>
      )}
      {sections.map((section, index) => (
        <PhotoSection key={section.zip} section={section} isFirst={index === 0 && section.pieces.length === 1} />
      ))}
    </>
  )
}
