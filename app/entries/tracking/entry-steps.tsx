import type { FolioView } from '#app/entries/schema.ts'
import styles from './folio.module.css'

/** Shows an entry's steps as bulbs with their days; reached steps are lit. */
export const EntrySteps = ({ pasos, paso }: FolioView) => (
  <ol className={styles.steps} aria-label="Los pasos de tu registro">
    {pasos?.map(({ nombre, dia }, index) => (
      <li key={nombre} aria-current={index === paso ? 'step' : undefined}>
        <b>{nombre}</b> {dia}
      </li>
    ))}
  </ol>
)
