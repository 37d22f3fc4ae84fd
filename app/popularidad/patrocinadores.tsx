import { useEffect, useState } from 'react'
import type { Edicion } from '#app/edicion/contenido.server.ts'
import { Button } from '#app/ui/button.tsx'
import { Ventana } from '#app/ui/ventana.tsx'
import { useAviso } from '#app/visitas/use-aviso.ts'
import styles from './patrocinadores.module.css'

/** @source §9 */
const ESPERA_MS = 2000

type Patrocinador = Edicion['popularidad']['patrocinadores'][number]

interface Props {
  patrocinadores: Patrocinador[]
  onCerrar: () => void
}

/** The sponsors of the contest, in a window that opens with the page (§2.14). */
export function Patrocinadores({ patrocinadores, onCerrar }: Props) {
  const avisoDe = useAviso()
  const [open, setOpen] = useState(false)
  const [seen, setSeen] = useState(false)
  useEffect(() => setOpen(true), [])
  const close = () => {
    setOpen(false)
    setSeen(true)
    onCerrar()
  }
  return (
    <>
      {seen && (
        <p className={styles.otraVez}>
          <Button look="quiet" onClick={() => setOpen(true)}>
            Ver a los patrocinadores
          </Button>
        </p>
      )}
      <Ventana titulo="Gracias a nuestros patrocinadores" abierta={open} onCerrar={close} esperaMs={ESPERA_MS}>
        <ul className={styles.lista}>
          {patrocinadores.map(({ id, nombre, marca, red }) => (
            <li key={id}>
              <a
                href={red}
                target="_blank"
                rel="noopener noreferrer"
                ping={avisoDe('patrocinador', nombre)}
                aria-label={`${nombre} (se abre en otra pestaña)`}
              >
                <img src={marca} alt={nombre} width="240" height="96" loading="lazy" />
              </a>
            </li>
          ))}
        </ul>
      </Ventana>
    </>
  )
}
