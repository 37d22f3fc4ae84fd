import { useLocation } from 'react-router'
import { LLAMADOS } from '#app/cms/settings/rules.ts'
import { usePeriodos } from '#app/cms/settings/use-periods.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { IconoSiguiente } from '#app/ui/primitives/icons.tsx'
import { siguienteDe } from './navigation.ts'
import styles from './next-screen.module.css'

/** Where a screen leads on, at its end. What the site asks of visitors comes first, where it is not this very screen. */
export function Siguiente() {
  const { pathname } = useLocation()
  const siguiente = siguienteDe(pathname)
  return siguiente && <Paso {...siguiente} />
}

function Paso({ a, texto, porLlamado }: NonNullable<ReturnType<typeof siguienteDe>>) {
  const llamado = usePeriodos()?.llamado?.que
  const paso = porLlamado && llamado && llamado !== 'conocer-candidatas' ? LLAMADOS[llamado] : { a, texto }
  return (
    <nav className={styles.siguiente} aria-label="Sigue">
      <Enlace to={paso.a} prefetch="none">
        <span>{paso.texto}</span> <IconoSiguiente />
      </Enlace>
    </nav>
  )
}
