import { fileLabelOf } from '#app/cms/media/file-rules.ts'
import { fieldKeyOf } from '#app/panel/editor/draft-state.ts'
import { screenOfField } from '#app/panel/editor/editable-screens.ts'
import { fileUrl } from '#app/panel/editor/files/upload-protocol.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './change-list.module.css'
import type { ContentChange, DescribedValue } from './diff.ts'

interface Props {
  changes: ContentChange[]
  /** SHA-256 of the changed files by path; a picture without one is shown by its name alone. */
  checksums: Record<string, string>
  hasLinks?: boolean
}

export function ChangeList({ changes, checksums, hasLinks = false }: Props) {
  return (
    <ul className={styles.changes}>
      {changes.map(({ documento, campo, label, before, after, moves }) => {
        const screen = hasLinks ? screenOfField(documento, campo) : undefined
        const isRemoved = !after && !moves
        // Another item may now have the index of a removed one, so the link leads to the list.
        const fieldKey = fieldKeyOf(
          documento,
          isRemoved && typeof campo.at(-1) === 'number' ? campo.slice(0, -1) : campo,
        )
        return (
          <li key={`${fieldKeyOf(documento, campo)}${moves ? ' moves' : isRemoved ? ' removed' : ''}`}>
            <h3>
              {screen ? (
                <Link to={`/organizadores/sitio/${screen.id}?campo=${encodeURIComponent(fieldKey)}`}>{label}</Link>
              ) : (
                label
              )}
            </h3>
            {moves ? (
              <p className={styles.now}>{moves}</p>
            ) : (
              <dl>
                <div>
                  <dt>Antes</dt>
                  <dd>
                    <DescribedValueView value={before} checksums={checksums} />
                  </dd>
                </div>
                <div>
                  <dt>Ahora</dt>
                  <dd className={styles.now}>
                    <DescribedValueView value={after} checksums={checksums} />
                  </dd>
                </div>
              </dl>
            )}
          </li>
        )
      })}
    </ul>
  )
}

const IMAGE_PATTERN = /\.(jpe?g|png|svg)$/

function DescribedValueView({
  value,
  checksums,
}: {
  value: DescribedValue | undefined
  checksums: Record<string, string>
}) {
  if (!value) return <em>Nada</em>
  if ('text' in value)
    return value.hasEmphasis
      ? value.text.split('*').map((part, index) => (index % 2 === 1 ? <em key={part}>{part}</em> : part))
      : value.text
  const path = 'photo' in value ? value.photo : value.file
  const checksum = checksums[path]
  const label = ('photo' in value && value.alt) || fileLabelOf(path)
  if (checksum === undefined || !IMAGE_PATTERN.test(path)) return <>{label}</>
  return (
    <>
      <img className={styles.photo} src={fileUrl(checksum, 320)} alt="" width="160" height="120" loading="lazy" />
      {label}
    </>
  )
}
