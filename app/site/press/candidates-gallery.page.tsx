import { requireRol } from '#app/accounts/guards.server.ts'
import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import type { Route } from './+types/candidates-gallery.page'
import { listGaleria } from './data.server.ts'
import styles from './page-header.module.css'
import { Encabezado } from './page-header.tsx'
import { SeccionDePrensa } from './photo-section.tsx'

export async function loader({ request, context }: Route.LoaderArgs) {
  await requireRol(request, context, 'prensa')
  const { credito, uso } = (await loadEdicion()).convocatorias.oficial
  return { secciones: await listGaleria(), credito, uso }
}

export const handle = { noindex: true }

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Galería de candidatas' }, args)

/** What the accredited press downloads of each candidate (§2.13). */
export default function GaleriaCandidatas({ loaderData: { secciones, credito, uso } }: Route.ComponentProps) {
  return (
    <>
      <Encabezado titulo="Galería de candidatas" otra={{ a: '/convocatoriaoficial', titulo: 'Convocatoria Oficial' }}>
        <p>{credito}</p>
        <p>{uso}</p>
      </Encabezado>
      {secciones.length === 0 && (
        <p className={styles.pronto}>Las fotografías estarán aquí el día en que el comité presente a las candidatas.</p>
      )}
      {secciones.map((seccion, index) => (
        <SeccionDePrensa key={seccion.zip} seccion={seccion} primera={index === 0 && seccion.piezas.length === 1} />
      ))}
    </>
  )
}
