import { useState } from 'react'
import styles from './letter-preview.module.css'

/** Browsers and servers take so long an address; a letter of 3,000 signs and emoji may need a longer one. */
const MAX_ADDRESS_CHARACTERS = 12_000

/** The real letter, as it arrives: its HTML, or its plain text. @param params what the address of the letter says */
export function LetterPreview({ titulo, params }: { titulo: string; params: Readonly<Record<string, string>> }) {
  const [forma, setForma] = useState<'carta' | 'texto'>('carta')
  const src = `/organizadores/mensajes/carta?${new URLSearchParams({ ...params, forma })}`
  return (
    <section className={styles.vista} aria-label={titulo}>
      <div className={styles.barra}>
        <h2>{titulo}</h2>
        <fieldset className={styles.formas} aria-label="Cómo se ve">
          {(['carta', 'texto'] as const).map((one) => (
            <button key={one} type="button" aria-pressed={forma === one} onClick={() => setForma(one)}>
              {one === 'carta' ? 'Carta' : 'Sólo texto'}
            </button>
          ))}
        </fieldset>
      </div>
      {src.length > MAX_ADDRESS_CHARACTERS ? (
        <p>La carta es muy larga para verla antes de guardarla. Guárdala y aquí se ve.</p>
      ) : (
        // Nothing runs in it, by its own policy; the sandbox takes its origin, its links and its forms away.
        // A new frame each time: a frame that goes from page to page would stand in the way back.
        <iframe key={src} src={src} sandbox="allow-scripts" title={`${titulo}: la carta`} className={styles.carta} />
      )}
    </section>
  )
}
