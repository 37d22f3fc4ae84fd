import { claveDe } from '#app/panel/editor/draft-queue.ts'
import { pantallaCon } from '#app/panel/editor/editable-screens.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import styles from './change-list.module.css'
import type { Cambio, Dicho } from './diff.ts'

interface Props {
  cambios: Cambio[]
  /** sha256 of the files that they name, by path. */
  sumas: Record<string, string>
  /** Whether each leads to its field. */
  conEnlaces?: boolean
}

/** What is another than before: where, what stood there, what stands there now. */
export function Cambios({ cambios, sumas, conEnlaces = false }: Props) {
  return (
    <ul className={styles.cambios}>
      {cambios.map(({ documento, campo, donde, antes, ahora }) => {
        const pantalla = conEnlaces ? pantallaCon(documento, campo) : undefined
        const clave = claveDe(documento, campo)
        return (
          <li key={`${clave}${ahora ? '' : ' antes'}`}>
            <h3>
              {pantalla ? (
                <Enlace to={`/organizadores/sitio/${pantalla.id}?campo=${encodeURIComponent(clave)}`}>{donde}</Enlace>
              ) : (
                donde
              )}
            </h3>
            <dl>
              <div>
                <dt>Antes</dt>
                <dd>
                  <EnPalabras dicho={antes} sumas={sumas} />
                </dd>
              </div>
              <div>
                <dt>Ahora</dt>
                <dd className={styles.ahora}>
                  <EnPalabras dicho={ahora} sumas={sumas} />
                </dd>
              </div>
            </dl>
          </li>
        )
      })}
    </ul>
  )
}

const IMAGEN = /\.(jpe?g|png|svg)$/

function EnPalabras({ dicho, sumas }: { dicho: Dicho | undefined; sumas: Record<string, string> }) {
  if (!dicho) return <em>Nada</em>
  if ('texto' in dicho) return <>{dicho.texto}</>
  const ruta = 'foto' in dicho ? dicho.foto : dicho.archivo
  const suma = sumas[ruta]
  const said = ('foto' in dicho && dicho.alt) || ruta
  if (suma === undefined || !IMAGEN.test(ruta)) return <>{said}</>
  return (
    <>
      <img
        className={styles.foto}
        src={`/organizadores/sitio/archivo/${suma}?ancho=320`}
        alt=""
        width="160"
        height="120"
        loading="lazy"
      />
      {said}
    </>
  )
}
