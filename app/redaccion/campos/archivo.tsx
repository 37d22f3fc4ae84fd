import styles from './campos.module.css'
import type { PropsDeCampo } from './tipos.ts'

interface Foto {
  foto: string
  alt: string
  foco: [number, number]
}

const fotoDe = (valor: unknown): Foto => {
  const { foto = '', alt = '', foco = [50, 50] } = (valor ?? {}) as Partial<Foto>
  return { foto, alt, foco }
}

/** A photograph and what is seen in it. */
export function CampoDeFoto({ id, valor, onCambio, descriptor, describedBy, invalid }: PropsDeCampo) {
  const foto = fotoDe(valor)
  return (
    <div className={styles.foto}>
      <input
        id={id}
        className={styles.control}
        aria-label={`${descriptor.rotulo}: archivo`}
        aria-describedby={describedBy}
        aria-invalid={invalid || undefined}
        value={foto.foto}
        onChange={({ target }) => onCambio({ ...foto, foto: target.value })}
      />
      <label htmlFor={`${id}-alt`}>Texto alternativo</label>
      <textarea
        id={`${id}-alt`}
        className={styles.area}
        rows={2}
        value={foto.alt}
        onChange={({ target }) => onCambio({ ...foto, alt: target.value })}
      />
    </div>
  )
}

/** A file by its path in the edition. */
export const CampoDeArchivo = ({ id, valor, onCambio, descriptor, describedBy, invalid }: PropsDeCampo) => (
  <input
    id={id}
    className={styles.control}
    aria-describedby={describedBy}
    aria-invalid={invalid || undefined}
    value={typeof valor === 'string' ? valor : ''}
    onChange={({ target }) => onCambio(descriptor.opcional && target.value === '' ? undefined : target.value)}
  />
)
