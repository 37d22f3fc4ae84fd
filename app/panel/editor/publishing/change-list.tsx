import { fieldKeyOf } from '#app/panel/editor/draft-queue.ts'
import { screenOfField } from '#app/panel/editor/editable-screens.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import styles from './change-list.module.css'
import type { Change, DescribedValue } from './diff.ts'

interface Props {
  cambios: Change[]
  /** SHA-256 of the files that the changes name, by path. */
  sumas: Record<string, string>
  /** Whether each change links to its field. */
  conEnlaces?: boolean
}

/** Changed fields, each with its old and its new value. */
export function ChangeList({ cambios, sumas, conEnlaces = false }: Props) {
  return (
    <ul className={styles.cambios}>
      {cambios.map(({ documento, campo, donde, antes, ahora }) => {
        const screen = conEnlaces ? screenOfField(documento, campo) : undefined
        const password = fieldKeyOf(documento, campo)
        return (
          <li key={`${password}${ahora ? '' : ' antes'}`}>
            <h3>
              {screen ? (
                <Enlace to={`/organizadores/sitio/${screen.id}?campo=${encodeURIComponent(password)}`}>{donde}</Enlace>
              ) : (
                donde
              )}
            </h3>
            <dl>
              <div>
                <dt>Antes</dt>
                <dd>
                  <ValueInWords dicho={antes} sumas={sumas} />
                </dd>
              </div>
              <div>
                <dt>Ahora</dt>
                <dd className={styles.ahora}>
                  <ValueInWords dicho={ahora} sumas={sumas} />
                </dd>
              </div>
            </dl>
          </li>
        )
      })}
    </ul>
  )
}

const IMAGE_PATTERN = /\.(jpe?g|png|svg)$/

function ValueInWords({ dicho, sumas }: { dicho: DescribedValue | undefined; sumas: Record<string, string> }) {
  if (!dicho) return <em>Nada</em>
  if ('texto' in dicho) return <>{dicho.texto}</>
  const path = 'foto' in dicho ? dicho.foto : dicho.archivo
  const sum = sumas[path]
  const said = ('foto' in dicho && dicho.alt) || path
  if (sum === undefined || !IMAGE_PATTERN.test(path)) return <>{said}</>
  return (
    <>
      <img
        className={styles.foto}
        src={`/organizadores/sitio/archivo/${sum}?ancho=320`}
        alt=""
        width="160"
        height="120"
        loading="lazy"
      />
      {said}
    </>
  )
}
