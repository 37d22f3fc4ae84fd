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
  return { secciones: await listGallerySections(), credito, uso }
}

export const handle = { noindex: true }

export const meta: Route.MetaFunction = (args) => pageMeta({ pantalla: 'Galería de candidatas' }, args)

/** Photographs of the candidates that the accredited press downloads (§2.13). */
export default function GaleriaCandidatas({ loaderData: { secciones, credito, uso } }: Route.ComponentProps) {
  return (
    <>
      <PageHeader titulo="Galería de candidatas" otra={{ a: '/convocatoriaoficial', titulo: 'Convocatoria Oficial' }}>
        <p>{credito}</p>
        <p>{uso}</p>
      </PageHeader>
      {secciones.length === 0 && (
        <p className={styles.pronto}>Las fotografías estarán aquí el día en que el comité presente a las candidatas.</p>
      )}
      {secciones.map((section, index) => (
        <PhotoSection key={section.zip} seccion={section} primera={index === 0 && section.piezas.length === 1} />
      ))}
    </>
  )
}
