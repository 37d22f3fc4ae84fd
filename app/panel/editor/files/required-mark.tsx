import styles from './file-fields.module.css'

/** Marks an empty field that has to be written before publishing. For screen readers its input is `required`. */
export const RequiredMark = () => (
  <small className={styles.required} aria-hidden="true">
    Hace falta para publicar
  </small>
)
