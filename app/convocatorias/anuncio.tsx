import { Button } from '#app/ui/button.tsx'
import styles from './convocatoria.module.css'

interface Props {
  titulo: string
  texto: string
  nota?: string | undefined
}

/** What an announcement says beside its poster. Where one registered, the button stays, and says why it is closed. */
export function Anuncio({ titulo, texto, nota }: Props) {
  return (
    <div className={styles.texto}>
      <h2>{titulo}</h2>
      <p className={styles.oferta}>{texto}</p>
      {nota && (
        <>
          <Button className={styles.registrarse} disabled>
            Registrarse
          </Button>
          <p className={styles.nota}>{nota}</p>
        </>
      )}
    </div>
  )
}
