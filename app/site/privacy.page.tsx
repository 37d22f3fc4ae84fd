import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import type { Route } from './+types/privacy.page'
import styles from './privacy.module.css'

export const handle = { prerender: true }

export async function loader() {
  const { vigente, entrada, secciones } = (await loadEdition()).privacidad
  return {
    effectiveDate: vigente,
    introduction: entrada,
    sections: secciones.map((section) => ({ ...section, id: slugOf(section.titulo) })),
  }
}

export const meta: Route.MetaFunction = (args) =>
  pageMeta({ screen: 'Aviso de privacidad', description: args.loaderData?.introduction }, args)

export default function PrivacyPage({ loaderData: { effectiveDate, introduction, sections } }: Route.ComponentProps) {
  return (
    <article className={styles.notice}>
      <header className={styles.head}>
        <h1>Aviso de privacidad</h1>
        <p className={styles.lead}>{introduction}</p>
        <p className={styles.date}>{`Vigente desde el ${effectiveDate}.`}</p>
        <p className={styles.date}>
          <a href="/mis-datos">Pide aquí que se borre tu registro</a>, sin venir a la oficina.
        </p>
        <nav aria-label="Partes del aviso">
          <ul className={styles.parts}>
            {sections.map(({ id, titulo }) => (
              <li key={id}>
                <a href={`#${id}`}>{titulo}</a>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      {sections.map(({ id, titulo, cuerpo }) => (
        <section className={styles.section} key={id} id={id}>
          <h2>{titulo}</h2>
          <div className={styles.body}>
            {cuerpo.map((part) =>
              typeof part === 'string' ? (
                <p key={part}>{part}</p>
              ) : (
                <ul key={part[0]}>
                  {part.map((point) => (
                    <li key={point}>{point}</li>
                  ))}
                </ul>
              ),
            )}
          </div>
        </section>
      ))}
    </article>
  )
}
