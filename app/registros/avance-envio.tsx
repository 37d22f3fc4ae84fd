import type { Espera } from '#app/platform/reintento.ts'
import { Button } from '#app/ui/button.tsx'
import { unir } from '#app/ui/clases.ts'
import { Progress, percent } from '#app/ui/progress.tsx'
import styles from './avance-envio.module.css'
import { formatSize } from './documento.tsx'

const ESPERAS: Readonly<Record<Espera, string>> = {
  sinConexion: 'Sin conexión: seguimos en cuanto vuelva la señal.',
  reintentando: 'La conexión va y viene; lo seguimos intentando.',
  ocupado: 'El sitio está recibiendo muchos archivos; seguimos en un momento.',
  limite:
    'Desde tu conexión llegaron demasiados archivos; seguimos por nuestra cuenta en unos minutos, o en cuanto cambies a otra.',
  falla: 'Algo falló de nuestro lado; lo intentamos otra vez.',
}

interface AvanceEnvioProps {
  label: string
  /** Bytes that have left, and bytes in all. */
  sent: number
  total: number
  /** Nothing moves, and why. */
  espera: Espera | undefined
  onStop(): void
  className?: string | undefined
}

/** How far what is being sent is, why it waits, and a way to stop it. */
export const AvanceEnvio = ({ label, sent, total, espera, onStop, className }: AvanceEnvioProps) => {
  const part = total === 0 ? 1 : sent / total
  return (
    <div className={unir(styles.sending, className)}>
      <Progress label={label} value={part} size="wide" />
      <p className={styles.figures}>
        <span>
          {formatSize(sent)} de {formatSize(total)}
        </span>
        <span>{percent(part)}</span>
      </p>
      <p className={styles.waiting} aria-live="polite">
        {espera ? ESPERAS[espera] : ''}
      </p>
      <Button className={styles.stop} look="quiet" onClick={onStop}>
        Detener
      </Button>
    </div>
  )
}
