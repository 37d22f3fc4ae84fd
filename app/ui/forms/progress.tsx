import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './progress.module.css'

interface ProgressProps {
  label: string
  /** Share that is done, from 0 to 1. */
  value: number
  size?: 'thin' | 'wide'
}

export const formatPercent = (value: number) => `${Math.floor(value * 100)} %`

export const formatSize = (bytes: number) =>
  bytes < 100_000 ? `${Math.ceil(bytes / 1024)} KB` : `${Math.round(bytes / 104_857.6) / 10} MB`

/** Renders a native `<progress>`, whose bar needs no inline style: the content security policy forbids those. */
export const Progress = ({ label, value, size = 'thin' }: ProgressProps) => (
  <progress
    className={joinClasses(styles.progress, styles[size])}
    aria-label={label}
    value={Math.floor(value * 100)}
    max={100}
  />
)
