import type { PeriodStatus } from '#app/cms/edition-settings/schema.ts'
import { REGISTRATION_FORMS, usePeriods, usePhase } from '#app/cms/edition-settings/use-periods.ts'
import type { Edition } from '#app/cms/editions/displayed-edition.server.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import { Emblem } from '#app/ui/ornaments/emblem.tsx'
import { SocialLinks } from '#app/ui/sharing/social-links.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './footer.module.css'
import { LazySessionLine } from './lazy-session-line.tsx'

export type FooterData = Pick<Edition, 'nombre' | 'rotulo' | 'anio' | 'feria' | 'lugar' | 'redes'> & {
  hasProgramme: boolean
}

/**
 * Renders the footer. The short form is for organisers' screens, without the links to the programme, the calendar and the forms.
 */
export function Footer({ edition, isShort }: { edition: FooterData | undefined; isShort: boolean }) {
  const isFairOver = usePhase()?.feria === 'despues'
  return (
    <footer className={joinClasses(styles.footer, isShort && styles.short)}>
      <div className={styles.papelPicado} aria-hidden="true" />
      {edition && (
        <div className={styles.content}>
          <Link to="/" prefetch="intent" className={styles.logo} aria-label={`${edition.nombre}, inicio`}>
            <Emblem className={styles.emblem} />
            <span>
              {edition.rotulo[0]} <em>{edition.rotulo[1]}</em>
            </span>
          </Link>
          <div className={styles.visit}>
            <address className={styles.postalAddress}>
              <a href={edition.lugar.mapa} target="_blank" rel="noopener noreferrer">
                <span>{edition.lugar.domicilio}</span>{' '}
                <span>
                  {edition.lugar.ciudad}, {edition.lugar.estado} · C.P. {edition.lugar.codigoPostal}
                </span>{' '}
                <b>Cómo llegar</b>
              </a>
            </address>
            {/* A plain link loads the programme as a document of its own, since its service worker keeps the document for offline use. */}
            {!isShort && edition.hasProgramme && <a href="/programa">Programa de la feria</a>}
            {!isShort && !isFairOver && <a href="/feria.ics">Añadir a mi calendario</a>}
          </div>
          {!isShort && <RegistrationLinks />}
          <SocialLinks {...edition.redes} />
          <p className={styles.legal}>
            <Link to="/aviso-de-privacidad">Aviso de privacidad</Link>
            <a href="/organizadores">Organización</a>
            <span>
              {edition.feria.nombre} {edition.feria.desde} — {edition.anio}
            </span>
          </p>
        </div>
      )}
      <LazySessionLine />
    </footer>
  )
}

/** Renders links to the registration forms with, once known, the state of each, and a link to the folio's screen. */
function RegistrationLinks() {
  const periods = usePeriods()
  return (
    <ul className={styles.registrations}>
      {REGISTRATION_FORMS.map(({ registration, path, label }) => (
        <li key={registration}>
          {/* The links are not prefetched, since they are on every screen. */}
          <Link to={path} prefetch="none">
            {label}
          </Link>
          <span className={styles.period}>{periods && periodInWords(periods[registration])}</span>
        </li>
      ))}
      <li>
        <Link to="/folio" prefetch="none">
          Tu folio
        </Link>
        <span className={styles.period}>Cómo va tu registro</span>
      </li>
    </ul>
  )
}

const periodInWords = ({ estado, cuando }: PeriodStatus) => {
  if (estado === 'despues') return 'Cerrado'
  return `${estado === 'antes' ? 'Abre' : 'Hasta'} ${cuando}`
}
