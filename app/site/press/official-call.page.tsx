import { requireRol } from '#app/accounts/guards.server.ts'
import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { diaEnPalabras } from '#app/core/time/mexico-dates.ts'
import { buttonLook } from '#app/ui/primitives/button.tsx'
import { IconoDescargar } from '#app/ui/primitives/icons.tsx'
import type { Route } from './+types/official-call.page'
import { listConvocatoria } from './data.server.ts'
import styles from './official-call.module.css'
import { Encabezado } from './page-header.tsx'
import { SeccionDePrensa } from './photo-section.tsx'

export async function loader({ request, context }: Route.LoaderArgs) {
  await requireRol(request, context, 'prensa')
  const { convocatorias, historia } = await loadEdicion()
  const { boletin, credito, uso, reina } = convocatorias.oficial
  const retrato = reina.find(({ ancho, alto }) => ancho <= alto)
  const { titulo, fecha, parrafos } = boletin
  const { secciones, boletin: archivo } = await listConvocatoria()
  return {
    boletin: { titulo, fecha, dia: diaEnPalabras(fecha), parrafos, archivo },
    ...{ secciones, credito, uso },
    retrato: retrato && { imagen: retrato, quien: `${historia.reina.nombre}, Reina Actual` },
  }
}

export const handle = { noindex: true }

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Convocatoria Oficial' }, args)

/** The press release and its pictures (§2.10). */
export default function ConvocatoriaOficial({ loaderData }: Route.ComponentProps) {
  const { boletin, secciones, credito, uso, retrato } = loaderData
  return (
    <>
      <Encabezado
        titulo="Convocatoria Oficial"
        otra={{ a: '/galeria-candidatas', titulo: 'Galería de candidatas' }}
        retrato={retrato}
      >
        <p>{credito}</p>
        <p>{uso}</p>
      </Encabezado>
      <section className={styles.boletin} aria-labelledby="boletin">
        <div className={styles.titular}>
          <p className={styles.fecha}>
            Boletín de prensa · <time dateTime={boletin.fecha}>{boletin.dia}</time>
          </p>
          <h2 id="boletin">{boletin.titulo}</h2>
          <a className={buttonLook('outline')} href={`/descargas/${boletin.archivo}`} aria-describedby="boletin">
            <IconoDescargar />
            Descargar boletín (Word)
          </a>
        </div>
        <div className={styles.texto}>
          {boletin.parrafos.map((parrafo) => (
            <p key={parrafo}>{parrafo}</p>
          ))}
        </div>
      </section>
      {secciones.map((seccion) => (
        <SeccionDePrensa key={seccion.zip} seccion={seccion} />
      ))}
    </>
  )
}
