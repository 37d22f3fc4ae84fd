import { Form } from 'react-router'
import { Button } from '#app/ui/components/button.tsx'
import { PersonName } from '#app/ui/components/person-name.tsx'
import { CheckField } from '#app/ui/forms/field.tsx'
import type { finalRankingRows, JudgingTable } from './data.server.ts'
import styles from './judging-table.module.css'
import { useIsSubmitting } from './use-is-submitting.ts'

/**
 * Shows the final ranking, and at the screen's foot what comes next: the sealing of the record, and then its publication.
 */
export function FinalRanking({ judgingTable }: { judgingTable: JudgingTable }) {
  const isBusy = useIsSubmitting()
  // The screen shows this part only while a final is open or sealed.
  const final = judgingTable.final!
  const { closing } = final
  const lastRound = final.rounds.at(-1)
  const tieSentences = lastRound?.status === 'closed' ? lastRound.tieSentences : []
  const rankingRows = closing?.ranking ?? final.provisionalRanking ?? []
  return (
    <>
      <section className={styles.closing} aria-labelledby="orden">
        <p className={styles.letterhead}>
          {judgingTable.pageantName} {judgingTable.edition}
        </p>
        <h2 id="orden">El orden final</h2>
        <RankingList rows={rankingRows} />
        {tieSentences.map((sentence) => (
          <p className={styles.tie} key={sentence}>
            {sentence}
          </p>
        ))}
        {closing ? (
          <>
            <p className={styles.seal}>
              Acta sellada el {closing.sealedAt}
              <br />
              Sello: <code>{closing.seal}</code>
            </p>
            <div className={styles.signatures} aria-hidden="true">
              <span>Notaría</span>
              {judgingTable.jury.map(({ number }) => (
                <span key={number}>Jurado {number}</span>
              ))}
            </div>
            <p className={styles.buttons}>
              <Button onClick={() => print()}>Imprimir el orden</Button>
              <a
                className={styles.download}
                href="/final/acta.json"
                download={`acta-final-${judgingTable.edition}.json`}
              >
                Descargar el acta
              </a>
              <a className={styles.download} href="/final/acta">
                Ver el acta
              </a>
            </p>
            {judgingTable.publishedAt && (
              <Form method="post" preventScrollReset className={styles.form} aria-label="Quién ve el acta">
                {/* A time that ends in «p.m.» already has a full stop. */}
                <p>
                  El acta es pública desde el {judgingTable.publishedAt.replace(/\.?$/, '.')}{' '}
                  <a href="/reina">Ver la página de la reina</a>
                </p>
                <details>
                  <summary>Quitarla del público</summary>
                  <p>Nadie más verá el acta ni la página de la reina, tampoco quien ya tenga sus enlaces.</p>
                  <Button type="submit" look="outline" isBusy={isBusy} name="hacer" value="ocultar">
                    Sí, quitarla del público
                  </Button>
                </details>
              </Form>
            )}
          </>
        ) : (
          <p>Al sellar el acta termina la noche del jurado: sus teléfonos ya no entran, y nada cambia después.</p>
        )}
      </section>
      {!judgingTable.publishedAt && (
        <Form method="post" preventScrollReset className={styles.next} key={closing?.seal}>
          <CheckField
            id="seguro"
            name="seguro"
            required
            label={
              closing
                ? 'Ya se dijo en la plaza: cualquiera podrá leer el orden y lo que dio cada juez'
                : 'Entiendo que sellar no se puede deshacer'
            }
          />
          {closing ? (
            <Button type="submit" isBusy={isBusy} name="hacer" value="publicar">
              Hacer público
            </Button>
          ) : (
            <Button type="submit" isBusy={isBusy} name="hacer" value="sellar">
              Sellar el acta
            </Button>
          )}
        </Form>
      )}
    </>
  )
}

export function RankingList({ rows }: { rows: ReturnType<typeof finalRankingRows> }) {
  return (
    <ol className={styles.ranking}>
      {rows.map(({ rank, id, number, name, points, title, roundName }) => (
        <li key={id}>
          <span className={styles.rank}>{rank}</span>
          <span>
            {title && <span className={styles.title}>{title}</span>}
            <b>
              <PersonName>{name}</PersonName>
            </b>
            <span className={styles.note}>
              Número {number}, {points} puntos en {roundName}
            </span>
          </span>
        </li>
      ))}
    </ol>
  )
}
