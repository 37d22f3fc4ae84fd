import { FILE_KINDS } from '#app/cms/media/file-rules.ts'
import type { FileFieldProps } from './file-field-props.ts'
import styles from './file-fields.module.css'
import { FilePicker } from './file-picker.tsx'
import { fileUrlByPath } from './upload-protocol.ts'
import { useFileSender } from './use-file-sender.ts'

export function DocumentField({ id, value, onChange, descriptor, describedBy, invalid }: FileFieldProps<string>) {
  const sender = useFileSender('documento', descriptor, ({ ruta }) => onChange(ruta))
  return (
    <div className={styles.field}>
      {value !== '' && (
        <p className={styles.currentFile}>
          Está puesto un {value.endsWith('.pdf') ? 'PDF' : 'documento de Word'}.{' '}
          <a className={styles.link} href={fileUrlByPath(value)} download>
            Descargarlo
          </a>
        </p>
      )}
      <FilePicker
        id={id}
        sender={sender}
        action={value === '' ? 'Elegir documento' : 'Cambiar documento'}
        label={descriptor.label}
        hint={FILE_KINDS.documento.hint}
        describedBy={describedBy}
        invalid={invalid}
        required={!descriptor.isOptional && value === ''}
      />
    </div>
  )
}
