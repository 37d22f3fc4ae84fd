import type { PeriodStatus, RegistrationWithPeriod } from '#app/cms/settings/schema.ts'
import { REGISTRATION_FORMS } from '#app/cms/settings/use-periods.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { Button, buttonLook } from '#app/ui/primitives/button.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './calls.module.css'

interface Props {
  titulo: string
  texto: string
  nota?: string | undefined
  registro?: RegistrationWithPeriod | undefined
  /** Period of the registration; undefined until it is known, null when it cannot be known. */
  periodo: PeriodStatus | null | undefined
}

/** What an announcement says beside its poster, and the way to the form of its registration. */
export function Slide({ titulo, texto, nota, registro, periodo }: Props) {
  const a = REGISTRATION_FORMS.find((one) => one.registro === registro)?.a
  return (
    <div className={styles.texto}>
      <h2>{titulo}</h2>
      <p className={styles.oferta}>{highlightPrizes(texto)}</p>
      <RegisterLink nota={nota} a={a} periodo={periodo} />
      {/* Without JavaScript the period is not told here, but on the form's screen. */}
      {a && (
        <noscript>
          <a className={joinClasses(buttonLook(), styles.registrarse)} href={a}>
            Registrarse
          </a>
        </noscript>
      )}
    </div>
  )
}

/** Sets sums of money in gold. */
const highlightPrizes = (text: string) =>
  text.split(/(\$\d[\d,]*)/).map((span, index) =>
    index % 2 === 1 ? (
      <b key={span} className={styles.premio}>
        {span}
      </b>
    ) : (
      span
    ),
  )

/** Ends words with a full stop, unless they end with an hour's own: «a.m.». */
const asSentence = (words: string) => (words.endsWith('.') ? words : `${words}.`)

interface RegisterLinkProps {
  nota: string | undefined
  /** The form's address. */
  a: string | undefined
  periodo: PeriodStatus | null | undefined
}

/**
 * The button «Registrarse». It leads to the form while that is open, or where nobody knows; before, it says when. After
 * the closing it is disabled, as §2.11 has it, if the content has the sentence that goes with it; else there is the way on.
 * @source §2.11; D33
 */
function RegisterLink({ nota, a, periodo }: RegisterLinkProps) {
  const mayBeOpen = a !== undefined && (periodo === null || periodo?.estado === 'abierto')
  if (mayBeOpen)
    return (
      <div className={styles.registro}>
        <Enlace to={a} prefetch="none" className={joinClasses(buttonLook(), styles.registrarse)}>
          Registrarse
        </Enlace>
        <p className={styles.nota}>{periodo && asSentence(`Recibimos registros hasta ${periodo.cuando}`)}</p>
      </div>
    )
  const isAhead = periodo?.estado === 'antes'
  if (!nota && !isAhead) {
    const isUnknown = a !== undefined && periodo === undefined
    return isUnknown ? null : (
      <div className={joinClasses(styles.registro, styles.holgado)}>
        <Enlace to="/candidatas" className={joinClasses(buttonLook('outline'), styles.registrarse)}>
          Conoce a las candidatas
        </Enlace>
        <p className={styles.nota}>Quiénes son, de dónde vienen y qué les gusta.</p>
      </div>
    )
  }
  return (
    // Until the period is known, the button must not say that it is closed.
    <div className={styles.registro} data-espera-periodo={(a && periodo === undefined) || undefined}>
      <Button className={styles.registrarse} disabled>
        Registrarse
      </Button>
      <p className={joinClasses(styles.nota, styles.dicha)}>{isAhead ? asSentence(`Abre ${periodo.cuando}`) : nota}</p>
    </div>
  )
}
