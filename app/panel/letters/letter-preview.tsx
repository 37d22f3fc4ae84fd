import { useState } from 'react'
import styles from './letter-preview.module.css'

/** nginx refuses a request line of more than 8 KiB. A letter with many emoji can exceed it, since each takes twelve characters. */
const MAX_URL_CHARACTERS = 7_500

/** Shows a letter as it arrives, as HTML or as plain text. @param params query of the letter's URL */
export function LetterPreview({ title, params }: { title: string; params: Readonly<Record<string, string>> }) {
  const [format, setFormat] = useState<'carta' | 'texto'>('carta')
  const src = `/organizadores/mensajes/carta?${new URLSearchParams({ ...params, forma: format })}`
  return (
    <section className={styles.preview} aria-label={title}>
      <div className={styles.bar}>
        <h2>{title}</h2>
        <fieldset className={styles.formats} aria-label="Cómo se ve">
          {(['carta', 'texto'] as const).map((option) => (
            <button key={option} type="button" aria-pressed={format === option} onClick={() => setFormat(option)}>
              {option === 'carta' ? 'Carta' : 'Sólo texto'}
            </button>
          ))}
        </fieldset>
      </div>
      {src.length > MAX_URL_CHARACTERS ? (
        <p>La carta es muy larga para verla antes de guardarla. Guárdala y aquí se ve.</p>
      ) : (
        // The letter's own policy forbids scripts (letter.resource.ts), so `allow-scripts` serves accessibility tools alone;
        // the sandbox removes the letter's origin and forms.
        // A new key makes a new frame, since a frame that navigates would add entries to the history.
        <iframe key={src} src={src} sandbox="allow-scripts" title={`${title}: la carta`} className={styles.letter} />
      )}
    </section>
  )
}
