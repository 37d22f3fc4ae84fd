import { useState } from 'react'
import styles from './letter-preview.module.css'

/** A longer address may be refused on the way; a letter of 3,000 characters with emoji may need one. */
const MAX_ADDRESS_CHARACTERS = 12_000

/** Shows the letter as it arrives, as HTML or as plain text. `params` are the query of the letter's address. */
export function LetterPreview({ title, params }: { title: string; params: Readonly<Record<string, string>> }) {
  const [format, setFormat] = useState<'carta' | 'texto'>('carta')
  const src = `/organizadores/mensajes/carta?${new URLSearchParams({ ...params, forma: format })}`
  return (
    <section className={styles.view} aria-label={title}>
      <div className={styles.bar}>
        <h2>{title}</h2>
        <fieldset className={styles.formats} aria-label="Cómo se ve">
          {(['carta', 'texto'] as const).map((one) => (
            <button key={one} type="button" aria-pressed={format === one} onClick={() => setFormat(one)}>
              {one === 'carta' ? 'Carta' : 'Sólo texto'}
            </button>
          ))}
        </fieldset>
      </div>
      {src.length > MAX_ADDRESS_CHARACTERS ? (
        <p>La carta es muy larga para verla antes de guardarla. Guárdala y aquí se ve.</p>
      ) : (
        // The letter's own policy lets no script run (letter.resource.ts); the sandbox takes away its origin and its forms.
        // The key makes a new frame each time, since a frame that navigates adds entries to the history.
        <iframe key={src} src={src} sandbox="allow-scripts" title={`${title}: la carta`} className={styles.letter} />
      )}
    </section>
  )
}
