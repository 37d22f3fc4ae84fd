import styles from './sheet-icon.module.css'

/** Shows a sheet of paper with a label, such as a file's extension. */
export const SheetIcon = ({ label }: { label: string }) => (
  <span className={styles.sheet}>
    <svg viewBox="0 0 36 44" aria-hidden="true">
      <path d="M3 1.5h20l10 10v31H3z" />
      <path d="M23 1.5v10h10" />
      <path d="M10 19h16M10 24h16" opacity="0.5" />
    </svg>
    {label && <b>{label}</b>}
  </span>
)
