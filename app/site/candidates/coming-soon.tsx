import { REGISTRATION_FORMS, usePeriods } from '#app/cms/edition-settings/use-periods.ts'
import type { Edition } from '#app/cms/editions/displayed-edition.server.ts'
import { slideForToday } from '#app/site/calls/rules.ts'
import { buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { Emblem } from '#app/ui/ornaments/emblem.tsx'
import { Photo } from '#app/ui/photos/photo.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './coming-soon.module.css'

/** The fields of a slide that this screen shows. */
export type CallSummary = Pick<
  Edition['convocatorias']['anuncios'][number],
  'slug' | 'titulo' | 'texto' | 'imagen' | 'registro' | 'invitacion'
>

interface Props {
  pageant: string
  slides: CallSummary[]
}

/** Renders the screen before the candidates are announced: a message, and the calls for entries. */
export function ComingSoon({ pageant, slides }: Props) {
  const periods = usePeriods()
  return (
    <div className={styles.soon}>
      {slides.length === 0 && <Emblem isBackground />}
      <header>
        <p className={styles.label}>{pageant}</p>
        <h1>Pronto conocerás a las candidatas</h1>
        <p className={styles.lead}>
          El comité las presentará aquí, una por una, con su nombre, su pueblo y sus fotografías.
        </p>
      </header>
      {slides.length > 0 && (
        <section className={styles.calls} aria-labelledby="convocatorias">
          <h2 id="convocatorias">Mientras tanto</h2>
          <ul>
            {slides.map((slide) => {
              const period = periods && slide.registro ? periods[slide.registro] : undefined
              const { titulo, texto, imagen, slideKey, slug } = slideForToday(slide, period)
              const form = REGISTRATION_FORMS.find(({ registration }) => registration === slide.registro)
              const isOpen = period?.estado === 'abierto'
              return (
                <li key={slideKey}>
                  <Photo picture={imagen} sizes="(max-width: 640px) 40vw, 16rem" className={styles.photo} />
                  <div>
                    <h3>{titulo}</h3>
                    <p>{texto}</p>
                    <Link
                      to={isOpen && form ? form.path : `/convocatoria/${slug}`}
                      prefetch="none"
                      className={joinClasses(buttonLook(isOpen ? 'main' : 'outline'), styles.action)}
                    >
                      {isOpen ? 'Registrarse' : 'Ver la convocatoria'}
                    </Link>
                  </div>
                </li>
              )
            })}
          </ul>
        </section>
      )}
    </div>
  )
}
