import { fieldKeyOf } from '#app/panel/editor/draft-queue.ts'
import { screenOfField } from '#app/panel/editor/editable-screens.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './change-list.module.css'
import type { Change, DescribedValue } from './diff.ts'

interface Props {
  changes: Change[]
  /** SHA-256 of the files that the changes name, by path. */
  checksums: Record<string, string>
  /** Whether each change links to its field. */
  hasLinks?: boolean
}

/** Changed fields, each with its old and its new value. */
export function ChangeList({ changes, checksums, hasLinks = false }: Props) {
  return (
    <ul className={styles.changes}>
      {changes.map(({ documento, campo, donde, antes, ahora }) => {
        const screen = hasLinks ? screenOfField(documento, campo) : undefined
        const fieldKey = fieldKeyOf(documento, campo)
        return (
          <li key={`${fieldKey}${ahora ? '' : ' antes'}`}>
            <h3>
              {screen ? (
                <Link to={`/organizadores/sitio/${screen.id}?campo=${encodeURIComponent(fieldKey)}`}>{donde}</Link>
              ) : (
                donde
              )}
            </h3>
            <dl>
              <div>
                <dt>Antes</dt>
                <dd>
                  <ValueInWords value={antes} checksums={checksums} />
                </dd>
              </div>
              <div>
                <dt>Ahora</dt>
                <dd className={styles.now}>
                  <ValueInWords value={ahora} checksums={checksums} />
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

function ValueInWords({ value, checksums }: { value: DescribedValue | undefined; checksums: Record<string, string> }) {
  if (!value) return <em>Nada</em>
  if ('texto' in value) return <>{value.texto}</>
  const path = 'foto' in value ? value.foto : value.archivo
  const sum = checksums[path]
  const said = ('foto' in value && value.alt) || path
  if (sum === undefined || !IMAGE_PATTERN.test(path)) return <>{said}</>
  return (
    <>
      <img
        className={styles.photo}
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
