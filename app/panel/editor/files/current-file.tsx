import { fileLabelOf } from '#app/cms/media/file-rules.ts'
import styles from './file-fields.module.css'
import { fileUrlByPath } from './upload-protocol.ts'

interface Props {
  path: string
  /** The file's name on the device, if it was just sent. */
  fileName: string | undefined
  label: string
}

/** Names a field's file, with a link that downloads it under the field's name, since its path may hold only a checksum. */
export const CurrentFile = ({ path, fileName, label }: Props) => (
  <p className={styles.currentFile}>
    Está puesto: {fileName ?? fileLabelOf(path)}.{' '}
    <a className={styles.link} href={fileUrlByPath(path)} download={`${label}${path.slice(path.lastIndexOf('.'))}`}>
      Descargarlo
    </a>
  </p>
)
