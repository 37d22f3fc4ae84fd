import { MessageScreen } from '#app/ui/components/message-screen.tsx'
import { RulesTable } from '#app/voting/results-page/rules-table.tsx'
import type { Route } from './+types/record.page'
import styles from './record.module.css'
import { ClosingMoves, OtherRecords } from './record-parts.tsx'

type Props = Route.ComponentProps['loaderData']

/** Renders the page without a record: when it will be published, or that it cannot be read, and the rules of the vote. */
export function PendingRecord(props: Props) {
  const {
    year,
    openingText,
    closingText,
    hasCandidates,
    isClosingAhead,
    isUnreadable,
    rules,
    closingMoves,
    publicKey,
    otherYears,
  } = props
  // The text is one node, since the line breaks of several nodes would shift when the font loads.
  const publicationText = !hasCandidates
    ? 'La votación comienza cuando el comité presente a las candidatas. Poco después de su cierre'
    : isClosingAhead
      ? `La votación ${openingText ? `abre el ${openingText}, y ` : ''}cierra el ${closingText}. Poco después`
      : `La votación cerró el ${closingText}. Dentro de poco`
  return (
    <>
      <MessageScreen
        kicker={`Señorita Popularidad ${year}`}
        title={
          isUnreadable
            ? 'El acta no se puede leer'
            : isClosingAhead
              ? 'El acta se publica al cierre'
              : 'El acta está por publicarse'
        }
      >
        <p>
          {isUnreadable
            ? 'Alguien cambió el acta en la base de datos después de que se selló, y por eso no se muestra. Pregunta al comité organizador.'
            : `${publicationText} aparecerá aquí el acta sellada, con los totales y todos los recibos, para que encuentres tu voto y cualquiera pueda contarlos de nuevo.`}
        </p>
        <ClosingMoves closingMoves={closingMoves} />
        <OtherRecords years={otherYears} />
      </MessageScreen>
      <section aria-labelledby="reglas" className={styles.rulesBeforeClosing}>
        <h2 id="reglas">Reglas de esta votación</h2>
        <RulesTable rules={rules} />
        {publicKey && (
          <>
            <p className={styles.publicKeyNote}>
              El acta se publicará firmada. Quien guarde esta llave desde ahora, que también va en cada recibo, sabrá
              después si un archivo es el que publicó el sitio:
            </p>
            <p className={styles.fingerprint}>
              <code>{publicKey}</code>
            </p>
          </>
        )}
      </section>
    </>
  )
}
