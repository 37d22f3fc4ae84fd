import type { PeriodStatus, RegistrationWithPeriod } from '#app/cms/edition-settings/schema.ts'
import { REGISTRATION_FORMS } from '#app/cms/edition-settings/use-periods.ts'
import type { RichBlock } from '#app/core/text/rich-text.ts'
import { Button, buttonLook } from '#app/ui/components/button.tsx'
import { DownloadIcon } from '#app/ui/components/icons.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { ShareButton } from '#app/ui/sharing/share-button.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { RichText } from '../rich-text.tsx'
import styles from './calls.module.css'

interface Props {
  titulo: string
  texto: RichBlock[]
  date: { iso: string; text: string } | undefined
  downloads: { url: string; fileName: string; label: string }[]
  /** Absolute URL of the slide. */
  url: string
  nota?: string | undefined
  registro?: RegistrationWithPeriod | undefined
  /** Period of the registration; undefined until it is known, null if it cannot be known. */
  period: PeriodStatus | null | undefined
}

/** Renders a slide's text, the link to its registration form, its downloads, and the button that shares it. */
export function Slide({ titulo, texto, date, downloads, url, nota, registro, period }: Props) {
  const formPath = REGISTRATION_FORMS.find(({ registration }) => registration === registro)?.path
  const awaitsPeriod = formPath !== undefined && period === undefined
  return (
    <div className={styles.text}>
      <h2>{titulo}</h2>
      {date && (
        <p className={styles.date}>
          <time dateTime={date.iso}>{date.text}</time>
        </p>
      )}
      <RichText blocks={texto} renderText={highlightPrizes} className={styles.offer} />
      <RegisterLink nota={nota} to={formPath} period={period} />
      {/* Without JavaScript the period is not known here; the form's screen states it. */}
      {formPath && (
        <noscript>
          <a className={joinClasses(buttonLook(), styles.signUp)} href={formPath}>
            Registrarse
          </a>
        </noscript>
      )}
      <div
        className={styles.more}
        key={awaitsPeriod ? 'awaited' : 'known'}
        data-awaits-period={awaitsPeriod || undefined}
      >
        {downloads.map(({ url, fileName, label }) => (
          <a key={url} href={url} download={fileName} className={buttonLook('outline')}>
            <DownloadIcon />
            {label}
          </a>
        ))}
        <ShareButton text={`${titulo}:`} url={url} subject={`«${titulo}»`} />
      </div>
    </div>
  )
}

/** Renders sums of money in gold. */
const highlightPrizes = (text: string) =>
  text.split(/(\$\d[\d,]*)/).map((span, index) =>
    index % 2 === 1 ? (
      <b key={span} className={styles.prize}>
        {span}
      </b>
    ) : (
      span
    ),
  )

/** Ends a text with a full stop, unless it has one already: «a.m.». */
const asSentence = (words: string) => (words.endsWith('.') ? words : `${words}.`)

interface RegisterLinkProps {
  nota: string | undefined
  /** Path of the form; undefined for a slide without a registration. */
  to: string | undefined
  period: PeriodStatus | null | undefined
}

/**
 * Renders the button «Registrarse». It links to the form while the period is open or cannot be known; before, it is disabled and
 * states the opening. After the closing, and on a slide without a registration, it is disabled with the content's note, or replaced
 * by a link to the candidates where the content has no note. Until the period is known, it is hidden or missing.
 * @source §2.11
 */
function RegisterLink({ nota, to, period }: RegisterLinkProps) {
  const mayBeOpen = to !== undefined && (period === null || period?.estado === 'abierto')
  if (mayBeOpen)
    return (
      <div className={styles.registration}>
        <Link to={to} prefetch="none" className={joinClasses(buttonLook(), styles.signUp)}>
          Registrarse
        </Link>
        <p className={styles.note}>{period && asSentence(`Recibimos registros hasta ${period.cuando}`)}</p>
      </div>
    )
  const isAhead = period?.estado === 'antes'
  if (!nota && !isAhead) {
    const isUnknown = to !== undefined && period === undefined
    return isUnknown ? null : (
      <div className={joinClasses(styles.registration, styles.roomy)}>
        <Link to="/candidatas" className={joinClasses(buttonLook('outline'), styles.signUp)}>
          Conoce a las candidatas
        </Link>
        <p className={styles.note}>Quiénes son, de dónde vienen y qué les gusta.</p>
      </div>
    )
  }
  return (
    // Until the period is known, the button must not look closed.
    <div className={styles.registration} data-awaits-period={(to && period === undefined) || undefined}>
      <Button className={styles.signUp} disabled>
        Registrarse
      </Button>
      <p className={joinClasses(styles.note, styles.saidLine)}>
        {isAhead ? asSentence(`Abre ${period.cuando}`) : nota}
      </p>
    </div>
  )
}
